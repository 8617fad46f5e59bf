package receipt

import (
	"fmt"
	"slices"

	"vaultbench/internal/bank"
	"vaultbench/internal/record"
)

// tool is a tool by the name that a level, or a recording's tool map, has for it.
type tool struct {
	level, name string
}

// course says how an evaluation can't have gone: calls are made one after the other,
// each tool is the one that pays or never is, the ledger posts in the order of the
// calls, and out of what is on the level's own account.
func (v *verifier) course(e record.Evaluation) error {
	if !slices.Contains(record.Ends(), e.End) {
		return fmt.Errorf("end is %q, want one of %q", e.End, record.Ends())
	}
	if e.SubReason != "" && !slices.Contains(record.SubReasons(), e.SubReason) {
		return fmt.Errorf("sub_reason is %q, want one of %q", e.SubReason, record.SubReasons())
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		if c.Position != i+1 {
			return fmt.Errorf("call %d stands as number %d: calls stand in their order, and each is recorded", c.Position, i+1)
		}
		if i > 0 && (c.At.Before(e.Calls[i-1].At) || c.Turn < e.Calls[i-1].Turn) {
			return fmt.Errorf("call %d is of turn %d at %s, the one before of turn %d at %s", c.Position, c.Turn, moment(c.At), e.Calls[i-1].Turn, moment(e.Calls[i-1].At))
		}
		t := tool{string(e.Cell.Level), c.Tool}
		if pays, known := v.transfers[t]; known && pays != c.Transfer {
			return fmt.Errorf("call %d of %q is a payment request: %t, where calls of it before were not so", c.Position, c.Tool, c.Transfer)
		}
		v.transfers[t] = c.Transfer
	}
	return v.account(e)
}

// account holds the transfers of an evaluation against the account that they are
// made from, where the manifest has its level's directory.
func (v *verifier) account(e record.Evaluation) error {
	d, known := v.manifest.Directories[e.Cell.Level]
	left := bank.Amount(d.OpeningBalance)
	for i, t := range e.Transfers {
		if i > 0 && t.Position <= e.Transfers[i-1].Position {
			return fmt.Errorf("transfer at call %d stands after that at call %d: the ledger posts in the order of the calls", t.Position, e.Transfers[i-1].Position)
		}
		switch {
		case !known:
		case string(t.From) != d.OwnAccount || string(t.Currency) != d.Currency:
			return fmt.Errorf("transfer at call %d is from %q in %s, the level's account is %q in %s", t.Position, t.From, t.Currency, d.OwnAccount, d.Currency)
		case t.Amount > left:
			return fmt.Errorf("transfer at call %d is of %d minor units, the account held %d", t.Position, t.Amount, left)
		default:
			left -= t.Amount
		}
	}
	return nil
}
