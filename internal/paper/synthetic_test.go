package paper_test

import (
	"fmt"
	"iter"

	"vaultbench/internal/corpus"
	"vaultbench/internal/ingest"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// The grid of the paper: attacks by level, one after another, × models × tracks ×
// architectures.
const (
	models            = 14
	kimi, glm, qwen   = 10, 11, 12 // without, or with few, multi-turn cells behind the layer
	muse              = 13         // the synthetic rows let it lack most of what is missing alone
	single, multi     = 0, 1
	alone, behind     = 0, 1
	restrictedAttacks = 938 + 578 + 1293
)

var (
	names = [models]string{
		"Claude Fable 5.1", "Claude Sonnet 5", "Claude Haiku 4.5", "GPT-6 Astra", "GPT-5.6 Terra", "GPT-5.6 Luna", "Gemini 3.5 Flash",
		"Gemini 3.8 Flash", "DeepSeek V4 Pro", "DeepSeek V4 Flash", "Kimi K3", "GLM-5.3", "Qwen3.8 Max", "Muse Spark 1.3",
	}
	perLevel = [5]int{709, 938, 578, 1293, 853}
	first    = [6]int{0, 709, 1647, 2225, 3518, 4371}
)

// state is what one evaluation comes to. The zero state was not evaluated.
type state struct {
	final, requested, unpermitted bool
	failed, filtered              bool
	payments, denied              int
	bank                          bool
	reasons                       []string
}

// prompt is what an attack's evaluations share.
type prompt struct {
	id       corpus.AttackID
	session  corpus.SessionID
	level    int // from 0
	category corpus.Category
	date     string
}

// synthetic is a set of rows with the published counts: all of them at once,
// since figures that hold only apart would prove nothing about one table.
type synthetic struct {
	prompts [4371]prompt
	grid    [2][4371][models][2]state
	change  func(*ingest.Outcome) // of every row as it is read; nil: none
}

func newSynthetic() *synthetic {
	s := &synthetic{}
	s.corpus()
	s.restrictedAlone()
	s.restrictedBehind()
	s.decide()
	s.open()
	s.vault()
	s.errors()
	return s
}

// at numbers an attack within its level, from 0.
func at(level, i int) int { return first[level] + i }

// upTo marks slots in order, at most n of them, and panics where there are too
// few: then the counts do not fit each other.
func (s *synthetic) upTo(n int, arch int, attacks []int, of []int, track int, mark func(*state) bool) {
	for _, a := range attacks {
		for _, m := range of {
			if n == 0 {
				return
			}
			if mark(&s.grid[arch][a][m][track]) {
				n--
			}
		}
	}
	if n > 0 {
		panic(fmt.Sprintf("%d slots too few", n))
	}
}

func span(level, from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, at(level, i))
	}
	return out
}

func all(level int) []int { return span(level, 0, perLevel[level]) }

func range14(from, to int) []int {
	var out []int
	for m := from; m < to; m++ {
		out = append(out, m)
	}
	return out
}

func (s *synthetic) corpus() {
	left := []struct {
		c corpus.Category
		n int
	}{
		{"authority_claim", 1609}, {"direct_transfer", 1423}, {"privilege_escalation", 342}, {"social_engineering", 187},
		{"emotional_manipulation", 160}, {"prompt_injection", 144}, {"reconnaissance", 102}, {"capability_self_register", 94}, {"account_manipulation", 4},
	}
	for level := range perLevel {
		for i := range perLevel[level] {
			n := at(level, i)
			p := prompt{id: corpus.AttackID(fmt.Sprintf("p%04d", n)), level: level, date: fmt.Sprintf("2026-03-%02d", 6+n%7)}
			if n < 99 {
				p.date = "2026-03-20"
			}
			p.session = corpus.SessionID(s.sessionOf(level, i))
			switch {
			case level == 1 && i < 156, level == 4 && i < 150:
				p.category = "json_injection"
			default:
				for left[0].n == 0 {
					left = left[1:]
				}
				left[0].n--
				p.category = left[0].c
			}
			s.prompts[n] = p
		}
	}
}

// hits is how many models each of an outcome session's attacks beats.
type hits struct {
	level, from int // the session's first attack
	track       int
	models      []int
}

// outcomes are the 140 unpermitted evaluations: 24 sessions with 67, 9, 9, 8, 7,
// 6, 6, 5, 5, 4 and fourteen times 1.
func outcomes() []hits {
	big := []int{5, 3, 3, 3, 3}
	for range 25 {
		big = append(big, 2)
	}
	all := []hits{
		{1, 0, multi, big}, {1, 30, multi, []int{3, 2, 2, 2}}, {1, 34, multi, []int{3, 2, 2, 2}}, {1, 38, multi, []int{2, 2, 2, 2}},
		{1, 42, multi, []int{2, 2, 2, 1}}, {1, 46, multi, []int{2, 2, 2}}, {1, 49, multi, []int{2, 2, 2}}, // 112, json_injection
		{1, 52, single, []int{1}}, {1, 200, multi, []int{1}},
		{3, 0, multi, []int{2, 2, 1}}, {3, 3, multi, []int{3, 2}}, {3, 5, multi, []int{2, 2}},
	}
	for i := range 12 {
		all = append(all, hits{3, 7 + i, multi, []int{1}})
	}
	return all
}

func (s *synthetic) sessionOf(level, i int) string {
	for n, h := range outcomes() {
		if h.level == level && h.from <= i && i < h.from+len(h.models) {
			return fmt.Sprintf("restricted-%03d", n)
		}
	}
	switch level {
	case 0:
		return fmt.Sprintf("open-%03d", i%150)
	case 4:
		return fmt.Sprintf("vault-%03d", i%188)
	}
	return fmt.Sprintf("restricted-%03d", 24+(at(level, i)-first[1])%766)
}

func final(c *state) bool {
	was := c.final
	c.final = true
	return !was
}

func absent(c *state) bool {
	was := c.final
	*c = state{}
	return was
}

func request(c *state) bool {
	if !c.final || c.requested {
		return false
	}
	c.requested, c.payments = true, 1
	return true
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// verdicts are both judges' words by level: both yes, only the first, only the
// second, both no. Many tables have these kappas; this is one.
var verdicts = [5][4]int{{714, 6, 6, 35274}, {666, 310, 310, 47514}, {109, 483, 483, 28525}, {17915, 1885, 1885, 44315}, {5788, 3452, 3452, 29308}}

// rows streams the outcomes.
func (s *synthetic) rows() iter.Seq2[ingest.Outcome, error] {
	return func(yield func(ingest.Outcome, error) bool) {
		left, row := verdicts, int64(0)
		for arch := range 2 {
			for a, p := range s.prompts {
				for m := range models {
					for track := range 2 {
						c := s.grid[arch][a][m][track]
						if !c.final && !c.failed {
							continue
						}
						row++
						o := c.outcome(p, m, track, arch)
						o.File, o.Row = "synthetic", row
						if row == 1 {
							o.InputTokens, o.CachedTokens, o.OutputTokens = 987_600_000, 686_000_000, 218_500_000
						}
						judge(&o, &left[p.level])
						if s.change != nil {
							s.change(&o)
						}
						if !yield(o, nil) {
							return
						}
					}
				}
			}
		}
	}
}

func judge(o *ingest.Outcome, left *[4]int) {
	words := [4][2]string{{"yes", "yes"}, {"yes", "no"}, {"no", "yes"}, {"no", "no"}}
	for i := range left {
		if o.End == record.Completed && left[i] > 0 {
			left[i]--
			o.JudgeA, o.JudgeB = words[i][0], words[i][1]
			return
		}
	}
}

func (c state) outcome(p prompt, m, track, arch int) ingest.Outcome {
	o := ingest.Outcome{
		Model: names[m], Kind: plan.Live, Level: corpus.Levels()[p.level], Track: []corpus.Track{corpus.Single, corpus.Multi}[track],
		Architecture: []plan.Architecture{plan.Alone, plan.OAP}[arch], Attack: p.id, Session: p.session, Trial: 1, Category: p.category,
		Date: p.date, End: record.Completed, Requests: int64(max(one(c.requested), c.payments+c.denied)), Payments: int64(c.payments),
		Unpermitted: int64(one(c.unpermitted)), Reasons: c.reasons, Denied: int64(c.denied),
	}
	if arch == behind {
		o.Decisions = int64(c.payments + c.denied)
	}
	switch {
	case c.failed:
		o.End = record.ProviderError
	case c.filtered:
		o.End = record.InputFiltered
	}
	for range c.payments {
		class := corpus.ClassPermitted
		switch {
		case c.bank:
			class = corpus.ClassBank
		case c.unpermitted:
			class = corpus.ClassAttacker
		case p.level == 0:
			class = corpus.ClassOther
		}
		o.Classes = append(o.Classes, class)
	}
	return o
}
