package mutation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const evaluationRules = "evaluation_rules"

// Pack makes the mutants of a policy pack, which must be one that loads.
func Pack(file string, raw []byte) ([]Mutant, error) {
	d, root, err := open(file, raw)
	if err != nil {
		return nil, err
	}
	d.words("status", []string{"status"}, root["status"].(string), []string{"draft", "active", "deprecated"})
	d.words("assurance", []string{"min_assurance"}, root["min_assurance"].(string), assurances)
	d.required(root["requires_capabilities"].([]any))
	d.schema([]string{"required_context"}, root["required_context"].(map[string]any))
	rules := root[evaluationRules].([]any)
	for i := range rules {
		d.rule(rules, i)
	}
	return d.done()
}

// required changes what a passport must grant.
func (d *document) required(have []any) {
	path := []string{"requires_capabilities"}
	d.add("capability", "one more", "another one is asked for as well", set(path, append(slices.Clone(have), "payments.refund")))
	for i, c := range have {
		id := c.(string)
		renamed := slices.Clone(have)
		renamed[i] = id + "x"
		d.add("capability", id+" renamed", id+" → "+id+"x", set(path, renamed))
	}
}

// rule makes the mutants of the i-th rule, and swaps it with the next.
func (d *document) rule(rules []any, i int) {
	r := rules[i].(map[string]any)
	name, condition := r["name"].(string), r["condition"].(string)
	d.add("drop-rule", name, "the rule is gone", func(root map[string]any) {
		root[evaluationRules] = slices.Delete(root[evaluationRules].([]any), i, i+1)
	})
	if i+1 < len(rules) {
		next := rules[i+1].(map[string]any)["name"].(string)
		d.add("reorder", name+" "+next, next+" stands before "+name, func(root map[string]any) {
			rs := root[evaluationRules].([]any)
			rs[i], rs[i+1] = rs[i+1], rs[i]
		})
	}
	code := r["deny_code"].(string)
	d.add("deny-code", name, code+" → "+otherCode(rules, code), editRule(i, "deny_code", otherCode(rules, code)))
	if _, ok := r["profiles"]; ok {
		d.add("drop-profile", name, "the rule stands in every profile", func(root map[string]any) {
			delete(root[evaluationRules].([]any)[i].(map[string]any), "profiles")
		})
	}
	for _, e := range edits(condition) {
		d.add(e.operator, name+" "+e.place, condition+" → "+e.text, editRule(i, "condition", e.text))
	}
}

func editRule(i int, member string, value any) func(map[string]any) {
	return func(root map[string]any) { root[evaluationRules].([]any)[i].(map[string]any)[member] = value }
}

// otherCode is another code of the pack's own, so that the pack still loads.
func otherCode(rules []any, not string) string {
	for _, r := range rules {
		if c := r.(map[string]any)["deny_code"].(string); c != not {
			return c
		}
	}
	return "oap.policy_error"
}

// bounds are the keywords whose number is moved by one.
var bounds = []string{"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}

// schema weakens required_context: each bound is moved by one and dropped, each
// pattern is dropped, each required member may be missing, each optional one
// must be there.
func (d *document) schema(path []string, s map[string]any) {
	place := strings.Join(path[1:], ".")
	for _, keyword := range bounds {
		n, ok := s[keyword].(json.Number)
		if !ok {
			continue
		}
		here := append(slices.Clone(path), keyword)
		d.add("drop-keyword", place+"."+keyword, "the keyword is gone", drop(here))
		v, err := strconv.ParseInt(n.String(), 10, 64)
		if err != nil {
			continue
		}
		for _, to := range []int64{v - 1, v + 1} {
			d.add("off-by-one", fmt.Sprintf("%s.%s %d", place, keyword, to), fmt.Sprintf("%d → %d", v, to), set(here, to))
		}
	}
	if pattern, ok := s["pattern"].(string); ok {
		d.add("drop-keyword", place+".pattern", pattern+" is gone", drop(append(slices.Clone(path), "pattern")))
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		d.requiredMember(path, required, name)
		d.schema(append(slices.Clone(path), "properties", name), properties[name].(map[string]any))
	}
	if items, ok := s["items"].(map[string]any); ok {
		d.schema(append(slices.Clone(path), "items"), items)
	}
}

func (d *document) requiredMember(path []string, required []any, name string) {
	here := append(slices.Clone(path), "required")
	place := strings.Join(append(slices.Clone(here[1:]), name), ".")
	if i := slices.Index(required, any(name)); i >= 0 {
		d.add("optional", place, name+" may be missing", set(here, slices.Delete(slices.Clone(required), i, i+1)))
		return
	}
	d.add("required", place, name+" must be there", set(here, append(slices.Clone(required), name)))
}
