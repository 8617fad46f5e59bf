package export

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/derived"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Prompt is a row of prompts: an attack, or an honest task, as it was replayed at
// a level.
type Prompt struct {
	Section   string   `parquet:"section,dict" json:"section"` // empty: as written; crossed, variants
	Level     string   `parquet:"level,dict" json:"level"`     // where it was replayed
	Cohort    string   `parquet:"cohort,dict" json:"cohort"`   // the level that it was written against
	Attack    string   `parquet:"attack" json:"attack"`
	Session   string   `parquet:"session,dict" json:"session"`
	Twin      string   `parquet:"twin" json:"twin"` // of an honest task: its attack
	Lang      string   `parquet:"lang,dict" json:"lang"`
	Date      string   `parquet:"date,dict" json:"date"`
	Technique string   `parquet:"technique,dict" json:"technique"`
	Category  string   `parquet:"category,dict" json:"category"`
	Turns     int64    `parquet:"turns" json:"turns"` // messages
	Messages  []string `parquet:"messages,list" json:"messages"`
	Goal      jsonText `parquet:"goal" json:"goal"`
	Expect    []string `parquet:"expect,list" json:"expect"` // per goal, what oap must decide; none for crossed ones
	Reason    string   `parquet:"reason" json:"reason"`
}

var errUnknownAttack = errors.New("it is of another version")

// promptKey names a prompt.
type promptKey struct {
	section corpus.Section
	level   corpus.Level
	attack  corpus.AttackID
}

func (k promptKey) compare(o promptKey) int {
	return cmp.Or(cmp.Compare(k.section, o.section), cmp.Compare(k.level, o.level), cmp.Compare(k.attack, o.attack))
}

// ask notes what an evaluation replayed. What users said in recordings is in no
// record, so there is no prompt of theirs.
func (w *writer) ask(e record.Evaluation) {
	if e.Cell.Track != corpus.Recorded {
		w.asked[promptKey{e.Cell.Track.Section(), e.Cell.Level, e.Attack}] = true
	}
}

// writePrompts writes what was replayed, in order. The record holds no messages:
// they are taken from the attack files, which must be those of the run.
func (w *writer) writePrompts() error {
	if len(w.asked) == 0 {
		return nil
	}
	if other := report.OtherCorpus(w.manifest.Digests, w.Run.World.Digests); other != "" {
		return fmt.Errorf("the run's prompts can't be told: %s", other)
	}
	if other := otherCorpus(w.manifest.Digests, w.Run.World.Digests); other != "" {
		return fmt.Errorf("%s is not the one that the run had, so its prompts can't be told: export from a checkout of revision %s", other, w.manifest.Revision)
	}
	byID := map[corpus.AttackID]corpus.Attack{}
	for _, a := range slices.Concat(w.Corpus.Attacks, w.Corpus.Benign) {
		byID[a.ID] = a
	}
	keys := make([]promptKey, 0, len(w.asked))
	for k := range w.asked {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, promptKey.compare)
	for _, k := range keys {
		a, cohort, err := w.replayed(k, byID)
		if err != nil {
			return err
		}
		row, err := promptOf(a)
		if err != nil {
			return fmt.Errorf("%s: %w", a.ID, err)
		}
		row.Section, row.Cohort = string(k.section), string(cohort)
		if err := w.prompts.write(row); err != nil {
			return err
		}
	}
	return nil
}

// replayed derives what a section replays, as the suite does.
func (w *writer) replayed(k promptKey, byID map[corpus.AttackID]corpus.Attack) (a corpus.Attack, cohort corpus.Level, err error) {
	id, operator, varied := strings.Cut(string(k.attack), derived.Mark)
	a, ok := byID[corpus.AttackID(id)]
	cohort = a.Level
	if ok && varied {
		a, ok, err = derived.Variant(a, operator)
	}
	if ok && k.section == corpus.Crossed {
		a = derived.Cross(a, w.Levels[a.Level], w.Levels[k.level])
	}
	if err != nil || !ok || a.Level != k.level {
		return a, cohort, fmt.Errorf("no attack %q at %s in the attack files: %w", k.attack, k.level, cmp.Or(err, errUnknownAttack))
	}
	return a, cohort, nil
}

func promptOf(a corpus.Attack) (Prompt, error) {
	goal, err := jsonOf(a.Goal, len(a.Goal) == 0)
	return Prompt{
		Level: string(a.Level), Attack: string(a.ID), Session: string(a.Session), Twin: string(a.Twin), Lang: a.Lang, Date: a.Date,
		Technique: string(a.Technique), Category: string(a.Category), Turns: int64(len(a.Messages)), Messages: a.Messages,
		Goal: goal, Expect: append([]string{}, a.Expect...), Reason: a.Reason,
	}, err
}
