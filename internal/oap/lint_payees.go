package oap

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lintPayees holds the lists of recipients against whom the bank knows and whom the
// policy permits: the loader takes any text, and the bank would pay it.
func (l *linter) lintPayees(p limitPlace) {
	if l.Payees == nil {
		return
	}
	for _, name := range []string{"allowed_merchant_ids", "allowed_merchants"} {
		var ids []string
		if json.Unmarshal(p.members[name], &ids) != nil {
			continue // the schema has said so
		}
		for i, id := range ids {
			at := p.at.AppendToken(name).AppendToken(fmt.Sprint(i))
			switch permitted, known := l.Payees[id]; {
			case !known:
				l.warn(at, "%q is in no directory of the account's bank; recipients are compared byte for byte: delete it%s", id, l.payeeHint(id))
			case !permitted:
				l.warn(at, "%q is somebody whom the policy of this account does not permit to be paid: a payment to them is a violation: take them off the list", id)
			}
		}
	}
}

// payeeHint names the recipient that was probably meant: first one that differs by
// case and blanks alone.
func (l *linter) payeeHint(id string) string {
	known := slices.Sorted(maps.Keys(l.Payees))
	for _, k := range known {
		if strings.EqualFold(strings.TrimSpace(id), k) {
			return fmt.Sprintf(" (%q was meant?)", k)
		}
	}
	return hint(id, known)
}
