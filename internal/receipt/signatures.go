package receipt

import (
	"bytes"
	"crypto/ed25519"
	"runtime"
	"sync"
)

// signatures checks the lines' signatures side by side, a batch at a time: they are
// most of the work, and each stands for itself.
type signatures struct {
	public ed25519.PublicKey
	jobs   chan signedLine
	wait   sync.WaitGroup

	mu    sync.Mutex
	first int   // line of the first fault, from 1; 0: none
	err   error // what is wrong with it
}

type signedLine struct {
	n         int
	message   []byte
	signature string
}

func newSignatures(public ed25519.PublicKey) *signatures {
	workers := runtime.GOMAXPROCS(0)
	s := &signatures{public: public, jobs: make(chan signedLine, batchSize*workers)}
	b := newBatch(public)
	for range workers {
		s.wait.Go(func() {
			lines := make([]signedLine, 0, batchSize)
			for j := range s.jobs {
				if lines = append(lines, j); len(lines) == batchSize {
					s.check(b, lines)
					lines = lines[:0]
				}
			}
			s.check(b, lines)
		})
	}
	return s
}

// add has a line checked; the message is copied.
func (s *signatures) add(n int, message []byte, signature string) {
	s.jobs <- signedLine{n, bytes.Clone(message), signature}
}

// check checks lines together, and where that does not hold each by itself.
func (s *signatures) check(b batch, lines []signedLine) {
	messages, raws := make([][]byte, 0, len(lines)), make([][]byte, 0, len(lines))
	for _, l := range lines {
		raw, err := parseSignature(l.signature)
		if err != nil {
			break
		}
		messages, raws = append(messages, l.message), append(raws, raw)
	}
	if len(raws) == len(lines) && b.holds(messages, raws) {
		return
	}
	for _, l := range lines {
		if err := checkSignature(s.public, l.message, l.signature); err != nil {
			s.fault(l.n, err)
		}
	}
}

// fault keeps the first line at fault.
func (s *signatures) fault(n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == 0 || n < s.first {
		s.first, s.err = n, err
	}
}

// close waits for what was added and returns the first line at fault, 0 if none is.
func (s *signatures) close() (line int, err error) {
	close(s.jobs)
	s.wait.Wait()
	return s.first, s.err
}
