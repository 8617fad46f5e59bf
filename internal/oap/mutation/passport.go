package mutation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	statuses   = []string{"draft", "active", "suspended", "revoked"}
	assurances = []string{"L0", "L1", "L2", "L3", "L4KYC", "L4FIN"}
)

// Entry is what a list is widened by: somebody or something that must not be on it.
type Entry struct {
	Recipient, Country, Category, Currency, Region string
}

// Passport makes the mutants of a passport, which must be one that loads. now is the moment at which decisions
// begin: an expiry at it has just come.
func Passport(file string, raw []byte, foreign Entry, now time.Time) ([]Mutant, error) {
	d, root, err := open(file, raw)
	if err != nil {
		return nil, err
	}
	d.words("status", []string{"status"}, root["status"].(string), statuses)
	d.words("assurance", []string{"assurance_level"}, root["assurance_level"].(string), assurances)
	d.capabilities(root["capabilities"].([]any))
	d.strings([]string{"regions"}, root["regions"].([]any), foreign.Region)
	d.expiry(root, now)
	d.limits([]string{"limits"}, root["limits"].(map[string]any), foreign)
	return d.done()
}

// words changes a word into each other one of its vocabulary.
func (d *document) words(operator string, path []string, have string, all []string) {
	for _, w := range others(all, have) {
		d.add(operator, strings.Join(path, ".")+" "+w, have+" → "+w, set(path, w))
	}
}

func (d *document) capabilities(have []any) {
	entry := func(id string) map[string]any { return map[string]any{"id": id} }
	for i, c := range have {
		id := c.(map[string]any)["id"].(string)
		d.add("capability", id+" gone", id+" is not granted", set([]string{"capabilities"}, slices.Delete(slices.Clone(have), i, i+1)))
		renamed := slices.Clone(have)
		renamed[i] = entry(id + "x")
		d.add("capability", id+" renamed", id+" → "+id+"x", set([]string{"capabilities"}, renamed))
	}
	if len(have) == 0 {
		const charge = "payments.charge"
		d.add("capability", charge+" granted", charge+" is granted", set([]string{"capabilities"}, []any{entry(charge)}))
	}
}

// expiry moves the end of the passport's life around the moment of the decisions
// and by a second, and takes it away.
func (d *document) expiry(root map[string]any, now time.Time) {
	path := []string{"expires_at"}
	have, ok := root["expires_at"].(string)
	if !ok {
		return
	}
	d.add("expiry", "gone", have+" → never", drop(path))
	moments := []struct {
		name string
		at   time.Time
	}{{"now", now}, {"before now", now.Add(-time.Second)}}
	if end, err := time.Parse(time.RFC3339, have); err == nil {
		moments = append(moments, []struct {
			name string
			at   time.Time
		}{{"a second earlier", end.Add(-time.Second)}, {"a second later", end.Add(time.Second)}}...)
	}
	for _, m := range moments {
		text := m.at.Format(time.RFC3339)
		d.add("expiry", m.name, have+" → "+text, set(path, text))
	}
}

// limits walks the limits and changes each of them by its kind.
func (d *document) limits(path []string, members map[string]any, foreign Entry) {
	for _, name := range names(members) {
		here := append(slices.Clone(path), name)
		place := strings.Join(here[1:], ".")
		switch v := members[name].(type) {
		case map[string]any:
			d.limits(here, v, foreign)
			if name == "currency_limits" {
				d.currency(here, v, foreign.Currency)
			}
		case json.Number:
			d.numbers(here, place, v)
		case bool:
			d.add("flag", place, fmt.Sprintf("%t → %t", v, !v), set(here, !v))
		case string:
			d.words("assurance", here, v, assurances)
		case []any:
			d.strings(here, v, map[string]string{
				"allowed_merchant_ids": foreign.Recipient, "allowed_countries": foreign.Country, "blocked_categories": foreign.Category,
			}[name])
		}
		d.add("drop-limit", place, "the limit is gone", drop(here))
	}
}

// currency adds one with the limits of each that is there.
func (d *document) currency(path []string, table map[string]any, foreign string) {
	if foreign == "" {
		return
	}
	for _, c := range names(table) {
		d.add("widen", fmt.Sprintf("%s %s as %s", strings.Join(path[1:], "."), foreign, c), foreign+" has the limits of "+c,
			set(append(slices.Clone(path), foreign), table[c]))
	}
}

// numbers is off by one minor unit either way, raises tenfold.
func (d *document) numbers(path []string, place string, have json.Number) {
	n, err := strconv.ParseInt(have.String(), 10, 64)
	if err != nil {
		return // no limit that loads
	}
	for _, m := range []struct {
		operator, place string
		to              int64
	}{{"off-by-one", place + " more", n + 1}, {"off-by-one", place + " less", n - 1}, {"raise", place, 10 * n}} {
		if m.to != n {
			d.add(m.operator, m.place, fmt.Sprintf("%d → %d", n, m.to), set(path, m.to))
		}
	}
}

// strings empties a list, widens it, and takes each entry away. Of a list of one,
// taking it away is emptying it.
func (d *document) strings(path []string, have []any, foreign string) {
	place := strings.TrimPrefix(strings.Join(path, "."), "limits.")
	if len(have) > 0 {
		d.add("empty", place, "the list is empty", set(path, []any{}))
	}
	if foreign != "" {
		d.add("widen", place, foreign+" is on the list", set(path, append(slices.Clone(have), foreign)))
	}
	for i, entry := range have {
		if len(have) > 1 {
			d.add("narrow", fmt.Sprintf("%s %s", place, entry), fmt.Sprintf("%s is off the list", entry), set(path, slices.Delete(slices.Clone(have), i, i+1)))
		}
		if foreign != "" {
			other := slices.Clone(have)
			other[i] = foreign
			d.add("replace", fmt.Sprintf("%s %s", place, entry), fmt.Sprintf("%s stands in the place of %s", foreign, entry), set(path, other))
		}
	}
}
