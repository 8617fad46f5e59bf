package report

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"hash/fnv"
	"slices"
)

// How much of a run's transcripts a page carries, in bytes of JSON. A text in it
// is cut to MaxText bytes.
const (
	PageBudget = 5 << 20
	MaxText    = 4 << 10
	classShare = PageBudget / 2 // what one class may keep while the book is open
)

// shelfClass ranks what a page must show before anything else.
type shelfClass int

const (
	shelfRed    shelfClass = iota // an unpermitted transfer or a false denial behind a layer
	shelfFault                    // no evidence: errors and what was not run
	shelfFirst                    // one of each outcome of each cell
	shelfBeaten                   // an unpermitted transfer without a layer
	shelfDenied                   // a denial
	shelfRest
	shelfClasses
)

// shelf keeps transcripts while evaluations stream by. Of each class those with
// the least hashes of their ids stay: a sample that depends on no order.
type shelf struct {
	classes [shelfClasses]sample
	firsts  map[string]kept // by cell and outcome
	total   map[Flag]int
	seen    int
}

type kept struct {
	hash               uint64
	id, attack, source string
	raw                json.RawMessage
}

// sample is a heap whose top has the greatest hash.
type sample struct {
	items []kept
	bytes int
}

func (h sample) Len() int           { return len(h.items) }
func (h sample) Less(i, j int) bool { return h.items[i].hash > h.items[j].hash }
func (h sample) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *sample) Push(x any)        { h.items = append(h.items, x.(kept)) }
func (h *sample) Pop() any {
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return last
}

// wants reports whether an item with this hash would stay.
func (h *sample) wants(hash uint64) bool {
	return h.bytes < classShare || hash < h.items[0].hash
}

func (h *sample) add(k kept) {
	heap.Push(h, k)
	for h.bytes += len(k.raw); h.bytes > classShare && len(h.items) > 1; {
		h.bytes -= len(heap.Pop(h).(kept).raw)
	}
}

func newShelf() *shelf { return &shelf{firsts: map[string]kept{}, total: map[Flag]int{}} }

func classOf(s seen, flags []Flag) shelfClass {
	has := func(f Flag) bool { return slices.Contains(flags, f) }
	switch {
	case s.planned.Layered && (has(Unpermitted) || has(FalseDenial)):
		return shelfRed
	case has(NotFinal):
		return shelfFault
	case has(Unpermitted):
		return shelfBeaten
	case has(DeniedCall):
		return shelfDenied
	}
	return shelfRest
}

func (h *shelf) add(s seen) {
	flags := s.flags()
	for _, f := range flags {
		h.total[f]++
	}
	h.seen++
	hash := hashOf(s.ID)
	class := &h.classes[classOf(s, flags)]
	wanted := class.wants(hash)
	var first []string
	for _, f := range flags {
		key := s.Cell.Name() + " " + string(f)
		if k, ok := h.firsts[key]; !ok || hash < k.hash {
			first = append(first, key)
		}
	}
	if !wanted && len(first) == 0 {
		return
	}
	raw, err := json.Marshal(show(s, MaxText)) // <, > and & are escaped: the page can hold it
	if err != nil {
		return // a transcript is plain text and numbers
	}
	k := kept{hash, s.ID, string(s.Attack), s.Source, raw}
	for _, key := range first {
		h.firsts[key] = k
	}
	if wanted {
		class.add(k)
	}
}

func hashOf(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return h.Sum64()
}

// Shown is what a page carries of a run's transcripts, and what it leaves out.
type Shown struct {
	Transcripts []json.RawMessage   // of Transcript, sorted by id
	Messages    map[string][]string // an attack's messages, in order
	Evaluations int                 // of the run
	Total       map[Flag]int        // evaluations of the run by outcome
	Unread      int                 // transcripts shown whose messages are not to be had
}

// MessagesFunc looks an evaluation's attack up: its messages, all of them, or
// false where they are not to be had.
type MessagesFunc func(attack, source string) ([]string, bool)

// Shown picks the transcripts for a page, most telling first, until the budget is
// used up.
func (b *Book) Shown(messages MessagesFunc) Shown {
	out := Shown{Messages: map[string][]string{}, Evaluations: b.shelf.seen, Total: b.shelf.total}
	picked := map[string]json.RawMessage{}
	left := PageBudget
	for class := range shelfClasses {
		for _, k := range b.shelf.class(class) {
			if _, twice := picked[k.id]; twice {
				continue
			}
			cost := len(k.raw)
			attack := Cut(k.attack, MaxText)
			texts, known := out.Messages[attack]
			if !known {
				texts, known = shownMessages(messages, k.attack, k.source)
				for _, m := range texts {
					cost += len(m) + 3
				}
			}
			if cost > left {
				continue
			}
			left -= cost
			picked[k.id] = k.raw
			if known {
				out.Messages[attack] = texts
			} else {
				out.Unread++
			}
		}
	}
	for _, id := range sortedKeys(picked) {
		out.Transcripts = append(out.Transcripts, picked[id])
	}
	return out
}

func shownMessages(messages MessagesFunc, attack, source string) ([]string, bool) {
	raw, ok := messages(attack, source)
	var texts []string
	for _, m := range raw {
		texts = append(texts, Cut(m, MaxText))
	}
	return texts, ok
}

// class lists a class's transcripts by their hashes.
func (h *shelf) class(class shelfClass) []kept {
	items := slices.Clone(h.classes[class].items)
	if class == shelfFirst {
		for _, k := range h.firsts {
			items = append(items, k)
		}
	}
	slices.SortFunc(items, func(a, b kept) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.id, b.id)) })
	return items
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
