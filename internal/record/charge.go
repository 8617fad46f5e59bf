package record

import (
	"bytes"
	"fmt"
	"maps"
)

// ChargeLine is the journal's line of what a request takes from the run's budget.
// There is one before the request is sent and one when it has ended, so that a
// process that is killed leaves what its requests may have cost.
type ChargeLine struct {
	Charged Charge `json:"charged"`
	Prev    string `json:"prev"` // as in Entry
}

// Charge is what one request takes. The last word on a request counts. What the
// provider reported stands in the evaluation, and nothing else does there; a charge
// may be an estimate.
type Charge struct {
	Request      int64  `json:"request"` // from 1, over all processes
	Model        string `json:"model"`
	Basis        Basis  `json:"basis"`
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
	CachedTokens int64  `json:"cached_tokens"` // part of InputTokens
}

// Basis says where a charge comes from.
type Basis string

// The bases.
const (
	Reserved   Basis = "reserved"   // about to be sent: the most that it may take
	Reported   Basis = "reported"   // the provider's own count
	Unreported Basis = "unreported" // no count that can be: what was reserved
	Failed     Basis = "failed"     // no reply: nothing
)

// Bases lists the bases, that before the request first.
func Bases() []Basis { return []Basis{Reserved, Reported, Unreported, Failed} }

var chargeMark = []byte(`{"charged":`)

// charges adds up what all processes of a run were charged.
type charges struct {
	requests int64
	open     map[int64]Charge // by request: what was reserved and not settled
	total    map[string]Usage // by model, settled or not
}

// Reserve notes what a request may take, before it is sent, and numbers it.
func (j *Journal) Reserve(c Charge) (request int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c.Request, c.Basis = j.charges.requests+1, Reserved
	return c.Request, j.charge(c)
}

// Settle notes what a request took that Reserve numbered.
func (j *Journal) Settle(c Charge) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.charge(c)
}

func (j *Journal) charge(c Charge) error {
	err := j.charges.check(c)
	if err == nil {
		var raw []byte
		if raw, err = encode(ChargeLine{c, noCRC}); err == nil {
			_, err = j.write(raw)
		}
	}
	if err != nil {
		return fmt.Errorf("journal the charge of request %d: %w", c.Request, err)
	}
	j.charges.note(c)
	return nil
}

// check holds a line against those before it: a request is reserved once, in order,
// and settled once.
func (s *charges) check(c Charge) error {
	before, open := s.open[c.Request]
	if first := c.Basis == Reserved; first && c.Request != s.requests+1 || !first && (!open || c.Model != before.Model) {
		return fmt.Errorf("%w: the charge of request %d of %s is %s after %d requests: it stands twice, was moved, or one before it is gone", errDamaged, c.Request, c.Model, c.Basis, s.requests)
	}
	return nil
}

// note adds up a line that check let pass.
func (s *charges) note(c Charge) {
	before := s.open[c.Request]
	if c.Basis == Reserved {
		s.requests++
		s.open[c.Request] = c
	} else {
		delete(s.open, c.Request)
	}
	u := s.total[c.Model]
	s.total[c.Model] = Usage{0, u.InputTokens + c.InputTokens - before.InputTokens, u.OutputTokens + c.OutputTokens - before.OutputTokens, u.CachedTokens + c.CachedTokens - before.CachedTokens}
}

// Charged is what each model's requests took from the budget, in all attempts of
// all processes; of those that a kill cut off, what they may have taken.
func (j *Journal) Charged() map[string]Usage {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.charges.total)
}

// takeOther notes a line that is no evaluation's; known is false of one that is.
func (j *Journal) takeOther(raw []byte) (known bool, err error) {
	switch {
	case bytes.HasPrefix(raw, planMark):
		var p PlanLine
		if err := j.follows(raw, &p, &p.Prev); err != nil {
			return true, err
		}
		j.cells = append(j.cells, p.Planned)
	case bytes.HasPrefix(raw, chargeMark):
		var c ChargeLine
		if err := j.follows(raw, &c, &c.Prev); err != nil {
			return true, err
		}
		if err := j.charges.check(c.Charged); err != nil {
			return true, err
		}
		j.charges.note(c.Charged)
	default:
		return false, nil
	}
	j.link = checksum(headOf(raw))
	return true, nil
}

// follows decodes a line and holds what it names before it, prev, against the last one.
func (j *Journal) follows(raw []byte, into any, prev *string) error {
	if err := strict(raw, into); err != nil {
		return err
	}
	if *prev != j.link {
		return errMisplaced
	}
	return nil
}
