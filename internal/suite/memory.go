package suite

import (
	"sync"

	"vaultbench/internal/record"
)

// Memory is a Sink that keeps what it is given, in the order in which it came.
type Memory struct {
	mu  sync.Mutex
	All []record.Evaluation
}

// Append keeps an evaluation.
func (m *Memory) Append(e record.Evaluation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.All = append(m.All, e)
	return nil
}
