package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// Served says which models answered where one was asked for, as replies name them:
// a provider may put another one, or several, behind an id.
type Served struct {
	Model     plan.ModelSlug `json:"model"`
	Kind      plan.Kind      `json:"kind"`
	Requested string         `json:"requested,omitempty"`       // id that was asked for, as the manifest says; empty where it does not
	IDs       []ServedID     `json:"ids"`                       // sorted by id
	Unnamed   int            `json:"unnamed_replies,omitempty"` // replies that name no model
	Note      string         `json:"note,omitempty"`            // has to stand beside the model's figures; empty where the one that was asked for answered
}

// ServedID is one of the models that answered.
type ServedID struct {
	ID          string   `json:"id"`
	Replies     int      `json:"replies"`
	Evaluations int      `json:"evaluations"` // with at least one of the replies
	Cells       []string `json:"cells"`       // with at least one, by name
}

// servedTally adds replies up by banker and the model that they name.
type servedTally map[banker]map[string]*servedCount

type servedCount struct {
	replies, evaluations int
	cells                map[string]bool
}

func (t servedTally) add(e record.Evaluation) {
	seen := map[string]bool{}
	for _, r := range e.Replies {
		if e.Kind == plan.Simulated {
			return
		}
		who := bankerOf(e)
		if t[who] == nil {
			t[who] = map[string]*servedCount{}
		}
		c := t[who][r.ServedModel]
		if c == nil {
			c = &servedCount{cells: map[string]bool{}}
			t[who][r.ServedModel] = c
		}
		c.replies++
		if !seen[r.ServedModel] {
			seen[r.ServedModel] = true
			c.evaluations++
			c.cells[e.Cell.Name()] = true
		}
	}
}

// rows close the books: bankers none of whose replies names a model have no row.
func (t servedTally) rows(requested map[plan.ModelSlug]string) []Served {
	var rows []Served
	for _, who := range slices.SortedFunc(maps.Keys(t), byBanker) {
		s := Served{Model: who.model, Kind: who.kind, Requested: requested[who.model]}
		for _, id := range slices.Sorted(maps.Keys(t[who])) {
			c := t[who][id]
			if id == "" {
				s.Unnamed = c.replies
				continue
			}
			s.IDs = append(s.IDs, ServedID{id, c.replies, c.evaluations, slices.Sorted(maps.Keys(c.cells))})
		}
		if len(s.IDs) > 0 {
			s.Note = s.note()
			rows = append(rows, s)
		}
	}
	return rows
}

// maxServedID keeps a note short whatever a provider calls its models, in bytes.
const maxServedID = 120

// note says what a reader must not overlook.
func (s Served) note() string {
	asked, served := s.Requested, make([]string, len(s.IDs))
	for i, id := range s.IDs {
		served[i] = fmt.Sprintf("%s (%s)", escape.Short(id.ID, maxServedID), times(id.Replies, "reply", "replies"))
	}
	if s.Unnamed > 0 {
		served = append(served, fmt.Sprintf("an unnamed model (%s)", times(s.Unnamed, "reply", "replies")))
	}
	switch {
	case len(served) > 1:
		return fmt.Sprintf("%s was served by more than one model: %s: its figures pool them", s.Model, strings.Join(served, ", "))
	case asked != "" && s.IDs[0].ID != asked:
		return fmt.Sprintf("%s was asked for as %s and served by %s: its figures are of the latter", s.Model, escape.Short(asked, maxServedID), served[0])
	}
	return ""
}

func times(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}
