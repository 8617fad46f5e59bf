package receipt

import (
	"bytes"
	"crypto/ed25519"
	"runtime"
	"sync"
)

// signatures checks the lines' signatures side by side: they are most of the work,
// and each stands for itself.
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
	s := &signatures{public: public, jobs: make(chan signedLine, 64*workers)}
	for range workers {
		s.wait.Go(func() {
			for j := range s.jobs {
				s.check(j)
			}
		})
	}
	return s
}

// add has a line checked; the message is copied.
func (s *signatures) add(n int, message []byte, signature string) {
	s.jobs <- signedLine{n, bytes.Clone(message), signature}
}

func (s *signatures) check(j signedLine) {
	err := checkSignature(s.public, j.message, j.signature)
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == 0 || j.n < s.first {
		s.first, s.err = j.n, err
	}
}

// close waits for what was added and returns the first line at fault, 0 if none is.
func (s *signatures) close() (line int, err error) {
	close(s.jobs)
	s.wait.Wait()
	return s.first, s.err
}
