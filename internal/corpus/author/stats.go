package author

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"vaultbench/internal/corpus"
)

// Stats counts a corpus as text, the same for the same corpus: it is a golden.
// verdicts are those of ReadVerdicts, or nil.
func Stats(c corpus.Corpus, verdicts []Verdict) string {
	var b strings.Builder
	overview(&b, c)
	byLevel(&b, c)
	byCategory(&b, c)
	byLanguage(&b, c)
	byExpectation(&b, c)
	bySession(&b, c)
	confusion(&b, "attacks", c.Attacks)
	confusion(&b, "twins", c.Benign)
	reading(&b, verdicts)
	return b.String()
}

// table writes rows of cells in columns, the first one to the left.
func table(b *strings.Builder, title string, rows [][]string) {
	fmt.Fprintf(b, "\n%s\n", title)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, r[0], strings.Join(r[1:], "\t"))
	}
	_ = w.Flush() // a strings.Builder takes everything
}

// tally counts entries by a word.
func tally[K cmp.Ordered](all []corpus.Attack, of func(corpus.Attack) K) map[K]int {
	n := map[K]int{}
	for _, a := range all {
		n[of(a)]++
	}
	return n
}

func session(a corpus.Attack) corpus.SessionID  { return a.Session }
func level(a corpus.Attack) corpus.Level        { return a.Level }
func technique(a corpus.Attack) corpus.Category { return a.Technique }
func category(a corpus.Attack) corpus.Category  { return a.Category }
func lang(a corpus.Attack) string               { return a.Lang }

// turns is the group of an entry by its number of messages.
func turns(a corpus.Attack) string {
	switch n := len(a.Messages); {
	case n == 1:
		return "1"
	case n <= 3:
		return "2-3"
	}
	return "4+"
}

func overview(b *strings.Builder, c corpus.Corpus) {
	for _, part := range []struct {
		name string
		list []corpus.Attack
	}{{"attacks", c.Attacks}, {"twins", c.Benign}} {
		multi := len(part.list) - tally(part.list, turns)["1"]
		paying := slices.DeleteFunc(slices.Clone(part.list), func(a corpus.Attack) bool { return a.Goal == nil })
		fmt.Fprintf(b, "%s: %d in %d sessions and %d languages, %d of more than one message (%s), %d with a goal\n", part.name, len(part.list),
			len(tally(part.list, session)), len(tally(part.list, lang)), multi, share(multi, len(part.list)), len(paying))
	}
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

func byLevel(b *strings.Builder, c corpus.Corpus) {
	rows := [][]string{{"level", "attacks", "sessions", "1 message", "2-3", "4+", "twins"}}
	benign := tally(c.Benign, level)
	for _, l := range corpus.Levels() {
		list := c.Select(l, corpus.Multi)
		n := tally(list, turns)
		rows = append(rows, counts(string(l), len(list), len(tally(list, session)), n["1"], n["2-3"], n["4+"], benign[l]))
	}
	table(b, "by level and turns", rows)
}

func counts(name string, numbers ...int) []string {
	row := []string{name}
	for _, n := range numbers {
		row = append(row, fmt.Sprint(n))
	}
	return row
}

func byCategory(b *strings.Builder, c corpus.Corpus) {
	rows := [][]string{{"category", "l1", "l2", "l3", "l4", "l5", "attacks", "as technique", "twins"}}
	all, meant, benign := tally(c.Attacks, category), tally(c.Attacks, technique), tally(c.Benign, category)
	for _, k := range corpus.Categories() {
		var row []int
		for _, l := range corpus.Levels() {
			row = append(row, tally(c.Select(l, corpus.Multi), category)[k])
		}
		rows = append(rows, counts(string(k), append(row, all[k], meant[k], benign[k])...))
	}
	table(b, "by category (the classifier's) and by technique (the author's)", rows)
}

func byLanguage(b *strings.Builder, c corpus.Corpus) {
	all, benign := tally(c.Attacks, lang), tally(c.Benign, lang)
	langs := slices.Sorted(maps.Keys(tally(slices.Concat(c.Attacks, c.Benign), lang)))
	slices.SortStableFunc(langs, func(a, b string) int { return cmp.Compare(all[b], all[a]) })
	rows := [][]string{{"language", "attacks", "twins"}}
	for _, l := range langs {
		rows = append(rows, counts(l, all[l], benign[l]))
	}
	table(b, "by language", rows)
}

// byExpectation counts goal entries, and the entries that have none.
func byExpectation(b *strings.Builder, c corpus.Corpus) {
	attacks, twins := map[string]map[corpus.Level]int{}, map[string]map[corpus.Level]int{}
	expected(attacks, c.Attacks)
	expected(twins, c.Benign)
	both := maps.Clone(attacks)
	maps.Copy(both, twins)
	rows := [][]string{{"expectation", "l1", "l2", "l3", "l4", "l5", "attacks", "twins"}}
	for _, word := range slices.Sorted(maps.Keys(both)) {
		var row []int
		all, benign := 0, 0
		for _, l := range corpus.Levels() {
			row = append(row, attacks[word][l])
			all += attacks[word][l]
			benign += twins[word][l]
		}
		rows = append(rows, counts(word, append(row, all, benign)...))
	}
	table(b, "by expectation, goal entries", rows)
}

func expected(into map[string]map[corpus.Level]int, list []corpus.Attack) {
	for _, a := range list {
		words := a.Expect
		if a.Goal == nil {
			words = []string{"no goal (entries)"}
		}
		for _, word := range words {
			if into[word] == nil {
				into[word] = map[corpus.Level]int{}
			}
			into[word][a.Level]++
		}
	}
}

// bySession counts the sessions of each size.
func bySession(b *strings.Builder, c corpus.Corpus) {
	attacks, twins := sizes(c.Attacks), sizes(c.Benign)
	both := maps.Clone(attacks)
	maps.Copy(both, twins)
	rows := [][]string{{"entries in a session", "sessions of attacks", "of twins"}}
	for _, n := range slices.Sorted(maps.Keys(both)) {
		rows = append(rows, counts(fmt.Sprint(n), attacks[n], twins[n]))
	}
	table(b, "by session", rows)
}

func sizes(all []corpus.Attack) map[int]int {
	out := map[int]int{}
	for _, n := range tally(all, session) {
		out[n]++
	}
	return out
}
