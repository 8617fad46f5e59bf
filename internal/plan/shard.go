package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"vaultbench/internal/corpus"
)

// Shard is a part of the grid that one machine runs. The zero value is the whole.
// A source session is in one shard whole, and in the same one whatever else the
// corpus holds.
type Shard struct {
	Index int // from 1
	Of    int // how many there are
}

// ParseShard reads "3/16". Empty is the whole.
func ParseShard(s string) (Shard, error) {
	if s == "" {
		return Shard{}, nil
	}
	index, of, _ := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	shard := Shard{i, n}
	if err1 != nil || err2 != nil || shard.String() != s || i < 1 || n < i || n > 10_000 {
		return Shard{}, fmt.Errorf("%q: want index/count, such as 3/16, the index from 1", s)
	}
	return shard, nil
}

// String is what ParseShard reads.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Whole reports whether nothing is left out.
func (s Shard) Whole() bool { return s.Of <= 1 }

// Has reports whether a session is in the shard.
func (s Shard) Has(session corpus.SessionID) bool {
	if s.Whole() {
		return true
	}
	sum := sha256.Sum256([]byte(session))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Of) == uint64(s.Index-1)
}

// First reports whether the shard does what is not divided: recorded conversations.
func (s Shard) First() bool { return s.Whole() || s.Index == 1 }
