package sim

import (
	"slices"
	"sync"
)

// memory keeps what messages were read as. Bankers are asked about a conversation
// again and again, and every trial and architecture replays it: a message is read
// once. What a text means depends on nothing but the text, so nothing of one
// conversation gets into another. It is safe for concurrent use.
type memory struct {
	mu       sync.Mutex
	readings map[said]reading
	beliefs  map[string]bool
}

// said is a message and how it is read.
type said struct {
	text    string
	lenient bool
}

// recalled is shared by all bankers: what a message says is the same to each.
var recalled memory

// remembered bounds how many messages are kept; beyond it the memory starts anew.
const remembered = 1 << 13

// read is read, remembered. Its orders may be changed by who gets them.
func (m *memory) read(text string, lenient bool) reading {
	key := said{text, lenient}
	m.mu.Lock()
	r, ok := m.readings[key]
	m.mu.Unlock()
	if !ok {
		r = read(text, lenient)
		m.mu.Lock()
		if len(m.readings) >= remembered || m.readings == nil {
			m.readings = map[said]reading{}
		}
		m.readings[key] = r
		m.mu.Unlock()
	}
	r.orders = slices.Clone(r.orders)
	return r
}

// believes is believes for one message, remembered.
func (m *memory) believes(text string) bool {
	m.mu.Lock()
	b, ok := m.beliefs[text]
	m.mu.Unlock()
	if ok {
		return b
	}
	b = believes([]string{text})
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.beliefs) >= remembered || m.beliefs == nil {
		m.beliefs = map[string]bool{}
	}
	m.beliefs[text] = b
	return b
}
