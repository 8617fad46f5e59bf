package receipt

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/bank"
	"vaultbench/internal/record"
)

// evaluation pairs an evaluation's decided calls with the next receipts, and its
// transfers with what those allowed.
func (v *verifier) evaluation(e record.Evaluation) error {
	layered := v.layered[e.Cell.Name()]
	v.report.Evaluations++
	calls, receipts := make(map[int]*record.Call, len(e.Calls)), map[int]Receipt{}
	for i := range e.Calls {
		c := &e.Calls[i]
		if decided := c.Decision != nil; decided != (layered && c.Transfer) {
			return fmt.Errorf("call %d: payment request %t, layer %t, decided %t: behind a layer each payment request is decided, and nothing else", c.Position, c.Transfer, layered, decided)
		}
		if _, twice := calls[c.Position]; twice {
			return fmt.Errorf("call %d stands twice", c.Position)
		}
		calls[c.Position] = c
		if err := checkCall(c); err != nil {
			return fmt.Errorf("call %d: %w", c.Position, err)
		}
		if c.Decision == nil {
			continue
		}
		r, err := v.receipt(e, c)
		if err != nil {
			return err
		}
		receipts[c.Position] = r
	}
	if layered {
		if err := v.permitted(e, receipts); err != nil {
			return err
		}
	}
	if err := checkPosted(e, calls); err != nil {
		return err
	}
	return v.course(e)
}

// receipt takes the next line as the receipt of a call.
func (v *verifier) receipt(e record.Evaluation, c *record.Call) (Receipt, error) {
	r, err := v.next()
	if errors.Is(err, io.EOF) {
		return r, v.lines.faultf("file ends here, the manifest says %d lines: the end was dropped, from call %d of %q on", v.manifest.Seal.Decisions.Lines, c.Position, e.ID)
	}
	if err != nil {
		return r, err
	}
	if member := difference(of(e.ID, c, Parties{}), r); member != "" {
		return r, v.lines.faultf("%s is not that of call %d in %q, whose receipt is due here", member, c.Position, e.ID)
	}
	if err := v.named.check(r); err != nil {
		return r, v.lines.faultf("%w", err)
	}
	if err := checkDecision(e.ID, c, slices.Contains(v.manifest.AuditCodeKeys, e.Cell.Level)); err != nil {
		return r, v.lines.faultf("call %d in %q: %w", c.Position, e.ID, err)
	}
	return r, nil
}

// difference names the first member in which a receipt differs from the one that
// its call makes. What a call says nothing of is left out: the place in the
// chain, which next checks, and the names of passport and pack.
func difference(want, got Receipt) string {
	want.Sequence, want.Prev, want.KeyID, want.Signature = got.Sequence, got.Prev, got.KeyID, got.Signature
	want.PassportID, want.AgentID, want.OwnerID = got.PassportID, got.AgentID, got.OwnerID
	want.AssuranceLevel, want.PolicyID = got.AssuranceLevel, got.PolicyID
	a, b := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			member, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			return member
		}
	}
	return ""
}

// permitted: what the ledger posted is what the receipts allowed.
func (v *verifier) permitted(e record.Evaluation, receipts map[int]Receipt) error {
	for _, t := range e.Transfers {
		r, ok := receipts[t.Position]
		if !ok {
			return fmt.Errorf("transfer at call %d has no receipt", t.Position)
		}
		if err := r.permits(t); err != nil {
			return fmt.Errorf("transfer at call %d: receipt %d %w", t.Position, r.Sequence, err)
		}
		v.report.Transfers++
	}
	return nil
}

// permits says why the receipt does not stand for a transfer; nil if it does.
func (r Receipt) permits(t bank.Transfer) error {
	switch {
	case !r.Allow:
		return errors.New("denied it")
	case !r.Payment.equals(t):
		return fmt.Errorf("allowed another payment than %d minor units of %s to %q", t.Amount, t.Currency, t.Recipient)
	}
	issued, err := time.Parse(time.RFC3339Nano, r.IssuedAt)
	if err != nil {
		return fmt.Errorf("has no moment of issue: %w", err)
	}
	expires, err := time.Parse(time.RFC3339Nano, r.ExpiresAt)
	if err != nil {
		return fmt.Errorf("has no moment of expiry: %w", err)
	}
	if t.At.Before(issued) || !t.At.Before(expires) {
		return fmt.Errorf("held from %s to before %s, the transfer is of %s", r.IssuedAt, r.ExpiresAt, moment(t.At))
	}
	return nil
}

// names remembers which names came with a digest: in one run it is always the
// same ones.
type names struct {
	passports map[string]passport
	policies  map[string]string
}

func (n *names) check(r Receipt) error {
	if n.passports == nil {
		n.passports, n.policies = map[string]passport{}, map[string]string{}
	}
	holder := passport{r.PassportID, r.OwnerID, r.AssuranceLevel}
	if r.AgentID != r.PassportID {
		return fmt.Errorf("agent_id %q and passport_id %q are two names of one thing", r.AgentID, r.PassportID)
	}
	if named := holder.ID != ""; named != (holder.OwnerID != "") || named != (holder.AssuranceLevel != "") {
		return fmt.Errorf("passport_id %q, owner_id %q, assurance_level %q: a passport has all three", holder.ID, holder.OwnerID, holder.AssuranceLevel)
	}
	if r.PassportDigest == "" && holder != (passport{}) || r.PolicyDigest == "" && r.PolicyID != "" {
		return errors.New("passport or pack is named without its digest")
	}
	if known, ok := n.passports[r.PassportDigest]; ok && known != holder {
		return fmt.Errorf("passport_digest %s was that of passport %q of %q before, and is that of %q of %q here", r.PassportDigest, known.ID, known.OwnerID, holder.ID, holder.OwnerID)
	}
	if known, ok := n.policies[r.PolicyDigest]; ok && known != r.PolicyID {
		return fmt.Errorf("policy_digest %s was that of pack %q before, and is that of %q here", r.PolicyDigest, known, r.PolicyID)
	}
	n.passports[r.PassportDigest], n.policies[r.PolicyDigest] = holder, r.PolicyID
	return nil
}
