package page

import (
	"cmp"

	"vaultbench/internal/escape"
)

// servedRow is one model that answered where one was asked for.
type servedRow struct {
	Who, Model, Requested, ID, Replies, Evaluations, Cells, Link string
	Other                                                        bool // not, or not alone, the one that was asked for
}

// answered lists the models that replies name.
func (p Page) answered() []servedRow {
	var rows []servedRow
	for _, s := range p.Summary.Served {
		for _, id := range s.IDs {
			rows = append(rows, servedRow{
				Who: kindText(s.Kind), Model: string(s.Model), Requested: escape.Line(cmp.Or(s.Requested, "–")), ID: escape.Line(id.ID),
				Replies: number(id.Replies), Evaluations: number(id.Evaluations), Cells: number(len(id.Cells)),
				Link: link("model", string(s.Model), "kind", string(s.Kind)), Other: s.Note != "",
			})
		}
	}
	return rows
}
