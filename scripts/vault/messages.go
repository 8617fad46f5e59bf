package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// messages finds what users said: a run's record names attacks, and their words
// stand in the corpus.
type messages struct {
	attacks map[corpus.AttackID]corpus.Attack
	digests map[string]string
}

func newMessages() (*messages, error) {
	c, err := settings.Corpus()
	if err != nil {
		return nil, err
	}
	m := &messages{attacks: map[corpus.AttackID]corpus.Attack{}}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		m.attacks[a.ID] = a
	}
	m.digests, err = settings.Digests()
	return m, err
}

// match refuses a run of another corpus: its attacks may say other things.
func (m *messages) match(run record.Manifest) error {
	if other := report.OtherCorpus(run.Digests, m.digests); other != "" {
		return errors.New(other)
	}
	for _, name := range slices.Sorted(maps.Keys(m.digests)) {
		corpusFile := strings.HasPrefix(name, "fixtures/attacks/") || strings.HasPrefix(name, "fixtures/benign/")
		if corpusFile && run.Digests[name] != m.digests[name] {
			return fmt.Errorf("%s differs from the one that was replayed: use the checkout of revision %s", name, run.Revision)
		}
	}
	return nil
}

// of returns what the user of an evaluation said, in order. The corpus does not
// hold the words of recordings and of derived attacks.
func (m *messages) of(e record.Evaluation) ([]string, bool) {
	a, ok := m.attacks[e.Attack]
	if !ok || e.Cell.Track == corpus.Recorded || e.Cell.Track.Section() != corpus.Native {
		return nil, false
	}
	return a.UserMessages(e.Cell.Track), true
}
