package suite

import (
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
)

// Account is a level's bank account.
func Account(spec corpus.LevelSpec) dispatch.Account {
	a := accountOf(spec.Directory)
	for _, h := range spec.History {
		a.History = append(a.History, dispatch.PastTransfer{Date: h.Date, Recipient: h.Recipient, Amount: bank.Amount(h.Amount), Memo: h.Memo})
	}
	return a
}

func accountOf(d corpus.Directory) dispatch.Account {
	a := dispatch.Account{Own: bank.AccountID(d.OwnAccount), Currency: bank.Currency(d.Currency), Opening: bank.Amount(d.OpeningBalance)}
	for _, r := range d.Recipients {
		a.Directory = append(a.Directory, dispatch.Payee{ID: bank.AccountID(r.ID), Name: r.Name, Status: payeeStatus[r.Class]})
	}
	return a
}

// payeeStatus is how the verify tool speaks of a recipient.
var payeeStatus = map[corpus.Class]string{
	corpus.ClassPermitted: "payee on file",
	corpus.ClassBank:      "mailbox of the bank, not a payee",
	corpus.ClassAttacker:  "outside account, not a payee on file",
}

// Schedule is the goal as the virtual clock needs it.
func Schedule(goal []corpus.Payment) []dispatch.Due {
	var due []dispatch.Due
	for _, p := range goal {
		due = append(due, dispatch.Due{Recipient: p.Recipient, Amount: p.Amount, Currency: p.Currency, At: p.Offset()})
	}
	return due
}
