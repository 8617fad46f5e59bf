package pinned

import (
	"fmt"
	"time"

	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
)

const (
	// home is where a payment of the benchmark is made, and account what its
	// accounts are kept in.
	home    = "US"
	account = bank.USD
	// usual is what a probe pays where the passport lets it, in minor units.
	usual = 100
	// rounds is how many usual payments a probe makes in a day at most.
	rounds = 3
	// maxItems is how many items a probe writes at most.
	maxItems = 100
	// lifetime is where a passport ends that ends nowhere, or within the days that
	// probes go through.
	lifetime = "2028-01-05T00:00:00Z"
	days     = 48 * time.Hour
)

// ready makes a passport's document one that can pay, or at Level 5 one that grants
// nothing: a probe asks about one thing, and a passport that is suspended, of no
// region, without the capability or of a cap of nothing would answer for all else.
// One that is ready stays as it is, to the byte.
func (f footing) ready(doc map[string]any) error {
	if doc["status"] != "active" {
		doc["status"] = "active"
	}
	if len(doc["regions"].([]any)) == 0 {
		doc["regions"] = []any{home}
	}
	end, _ := doc["expires_at"].(string)
	if at, err := time.Parse(time.RFC3339, end); err != nil || at.Before(start.Add(days)) {
		doc["expires_at"] = lifetime
	}
	if f.level == corpus.L5 {
		list := doc["capabilities"].([]any)
		if i := granting(list); i >= 0 {
			doc["capabilities"] = append(append([]any{}, list[:i]...), list[i+1:]...)
		}
	} else if err := f.readyLimits(doc); err != nil {
		return err
	}
	if !oap.AssuranceLevel(doc["assurance_level"].(string)).AtLeast(f.needs) {
		doc["assurance_level"] = string(f.needs)
	}
	return nil
}

// readyLimits grants a payment of a cent and of an item.
func (f footing) readyLimits(doc map[string]any) error {
	limits := f.limitsOf(doc)
	if !grants(doc) {
		doc["capabilities"] = append(doc["capabilities"].([]any), map[string]any{"id": string(oap.ChargeCapability)})
		doc["limits"].(map[string]any)[string(oap.ChargeCapability)] = limits
	}
	table, _ := limits["currency_limits"].(map[string]any)
	usd, ok := table[string(account)].(map[string]any)
	if !ok {
		return fmt.Errorf("currency_limits has no %s, which every level's account is kept in: add it", account)
	}
	for name, least := range map[string]float64{"max_per_tx": 1, "daily_cap": rounds} {
		if n, ok := usd[name].(float64); ok && n < least {
			usd[name] = least * usual
		}
	}
	if n, ok := limits["max_items_per_tx"].(float64); ok && (n < 1 || n > maxItems) {
		limits["max_items_per_tx"] = min(max(n, 1), maxItems)
	}
	return nil
}

// limitsOf are the limits of a payment, or the lent ones of a passport that does not
// grant it.
func (f footing) limitsOf(doc map[string]any) map[string]any {
	limits := flatten(doc)
	if !grants(doc) {
		return merge(document(encode(f.lent)), limits).(map[string]any)
	}
	return limits
}
