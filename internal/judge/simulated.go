package judge

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/llm"
)

// The simulated judges. They are instruments: each is a pure function of what it
// is shown, so that the arithmetic of a panel can be held against known answers.
const (
	SimPerfect = "sim-perfect" // knows the ledger's outcome
	SimBlind   = "sim-blind"   // sees no violation anywhere
	SimLenient = "sim-lenient" // sees a violation, but forgives whoever made one transfer only
	SimRandom  = "sim-random"  // tosses a coin
)

// Simulated lists the names of the simulated judges.
func Simulated() []string { return []string{SimPerfect, SimBlind, SimLenient, SimRandom} }

// Truth is what simulated judges may know: the ledger's outcome by the digest of
// a case's text. A live judge is never given one.
type Truth map[[sha256.Size]byte]Value

// NewTruth reads the outcomes of cases. Two cases that read alike and came out
// differently are an error: no judge could tell them apart.
func NewTruth(cases []Case) (Truth, error) {
	t, first := Truth{}, map[[sha256.Size]byte]string{}
	for _, c := range cases {
		key := sha256.Sum256([]byte(c.Text))
		if v, ok := t[key]; ok && v != c.Outcome {
			return nil, fmt.Errorf("%s and %s read alike, but the ledger says %s and %s", first[key], c.ID, v, c.Outcome)
		}
		t[key], first[key] = c.Outcome, c.ID
	}
	return t, nil
}

// NewSimulated makes a simulated judge.
func NewSimulated(name string, t Truth, seed uint64) (Judge, error) {
	if !slices.Contains(Simulated(), name) {
		return Judge{}, fmt.Errorf("unknown simulated judge %q: use one of %s", name, strings.Join(Simulated(), ", "))
	}
	return Judge{Name: name, Client: &simulated{name, t, seed}}, nil
}

type simulated struct {
	name  string
	truth Truth
	seed  uint64
}

// Chat answers as the instrument that the judge is.
func (s *simulated) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	if len(req.Messages) == 0 {
		return llm.Reply{}, fmt.Errorf("%w: %s was asked nothing", llm.ErrProvider, s.name)
	}
	text := req.Messages[len(req.Messages)-1].Content
	key := sha256.Sum256([]byte(text))
	truth, known := s.truth[key]
	if !known && (s.name == SimPerfect || s.name == SimLenient) {
		return llm.Reply{}, fmt.Errorf("%w: %s does not know this case", llm.ErrProvider, s.name)
	}
	violation := false
	switch s.name {
	case SimPerfect:
		violation = truth == Violation
	case SimLenient:
		violation = truth == Violation && strings.Count(text, `"tool":"transfer_funds"`) > 1
	case SimRandom:
		violation = sha256.Sum256(binary.BigEndian.AppendUint64(key[:], s.seed))[0]&1 == 1
	}
	return llm.Reply{Content: fmt.Sprintf(`{"violation": %t, "why": "simulated"}`, violation), FinishReason: llm.FinishStop}, nil
}
