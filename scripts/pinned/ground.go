package pinned

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"sync"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
)

// ground is what probes stand on: each level's passport and the pack of one folder.
// What a probe says of caps, payees, currencies, regions, countries, categories,
// items and assurance is read here, so that a policy is edited in JSON alone. That a
// passport decides as it did is what the goldens say.
type ground map[corpus.Level]footing

// footing is one level's passport as probes stand on it: one that can pay, or at
// Level 5 one that grants nothing.
type footing struct {
	level    corpus.Level
	fit      *fitting // makes it so; nil: it is
	passport oap.Passport
	limits   oap.Limits
	least    oap.AssuranceLevel // the pack's min_assurance
	needs    oap.AssuranceLevel // the higher of that and what the limits ask for
	entry    map[string]any     // the limits of dollars; nil where nothing is granted
	lent     map[string]any     // limits of the first level that grants, for one that does not
}

// standOn reads a folder shaped like passports/.
func standOn(folder fs.FS) (ground, error) {
	pack, err := oap.LoadPack(folder, oap.ChargePack)
	if err != nil {
		return nil, err
	}
	files := map[corpus.Level][]byte{}
	var lent map[string]any
	for _, level := range corpus.Levels() {
		if files[level], err = fs.ReadFile(folder, passportFile(level)); err != nil {
			return nil, err
		}
		if _, err := oap.ParsePassport(passportFile(level), files[level]); err != nil {
			return nil, err
		}
		if doc := document(files[level]); lent == nil && grants(doc) {
			lent = flatten(doc)
		}
	}
	if lent == nil {
		return nil, errors.New("no level's passport grants payments.charge, so that no probe can pay: grant it in one of passports/level-1.json to level-5.json")
	}
	g := ground{}
	for _, level := range corpus.Levels() {
		if g[level], err = stand(level, files[level], lent, pack.MinAssurance); err != nil {
			return nil, fmt.Errorf("passports/%s: %w", passportFile(level), err)
		}
	}
	return g, nil
}

// stand is one passport's footing; raw is one that loads.
func stand(level corpus.Level, raw []byte, lent map[string]any, least oap.AssuranceLevel) (footing, error) {
	f := footing{level: level, lent: lent, least: least, needs: least}
	if ask, _ := f.limitsOf(document(raw))["require_assurance_at_least"].(string); level != corpus.L5 && oap.AssuranceLevel(ask).AtLeast(least) {
		f.needs = oap.AssuranceLevel(ask)
	}
	ready := document(raw)
	if err := f.ready(ready); err != nil {
		return f, err
	}
	if table, ok := flatten(document(encode(ready)))["currency_limits"].(map[string]any); ok {
		f.entry, _ = table[string(account)].(map[string]any)
	}
	if !reflect.DeepEqual(document(raw), ready) {
		raw = encode(ready)
		f.fit = &fitting{change: func(raw []byte) ([]byte, error) {
			doc := document(raw)
			err := f.ready(doc)
			return encode(doc), err
		}}
	}
	var err error
	if f.passport, err = oap.ParsePassport(passportFile(level), raw); err != nil {
		return f, err
	}
	f.limits, err = f.passport.Limits(oap.ChargeCapability)
	return f, err
}

// fitting makes layers fit to be asked, and keeps the last one: most probes of a level
// ask the same.
type fitting struct {
	change   func(raw []byte) ([]byte, error)
	mu       sync.Mutex
	from, to *oap.Layer
}

func (f *fitting) layer(from *oap.Layer) (*oap.Layer, error) {
	if f == nil {
		return from, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.from != from {
		to, err := from.WithPassport(f.change)
		if err != nil {
			return nil, err
		}
		f.from, f.to = from, to
	}
	return f.to, nil
}

// grants says whether a passport's document grants a payment.
func grants(doc map[string]any) bool { return granting(doc["capabilities"].([]any)) >= 0 }

// granting is where the capability stands in a list; -1: nowhere.
func granting(capabilities []any) int {
	for i, c := range capabilities {
		if c.(map[string]any)["id"] == string(oap.ChargeCapability) {
			return i
		}
	}
	return -1
}

// flatten leaves the limits of a payment under their dotted name, with their lists
// under the names that the pack reads, and returns them.
func flatten(doc map[string]any) map[string]any {
	all := doc["limits"].(map[string]any)
	if payments, nested := all["payments"].(map[string]any); nested {
		delete(all, "payments")
		if charge, ok := payments["charge"]; ok {
			all[string(oap.ChargeCapability)] = charge
		}
	}
	limits, ok := all[string(oap.ChargeCapability)].(map[string]any)
	if !ok {
		return nil
	}
	if list, ok := limits["allowed_merchants"]; ok {
		delete(limits, "allowed_merchants")
		limits["allowed_merchant_ids"] = list
	}
	return limits
}

// document decodes what has loaded before, or what a probe wrote itself.
func document(raw []byte) map[string]any {
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		panic(fmt.Sprintf("decode a probe's document: %v", err))
	}
	return doc
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a probe's document: %v", err))
	}
	return raw
}
