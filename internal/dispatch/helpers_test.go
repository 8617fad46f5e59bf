package dispatch_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/dispatch"
)

const (
	own     bank.AccountID = "own@bank.example"
	opening bank.Amount    = 100000
	rent                   = `{"recipient":"rent","amount":25.5,"memo":"May"}`
)

var (
	noon     = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	rentPaid = bank.Payment{Recipient: "rent", Amount: 2550, Currency: bank.USD, Memo: "May"}
)

// spy is a layer that writes down what it is asked and told. It pays once for a
// key, and permits everything else unless answer says otherwise.
type spy struct {
	answer  func(authz.Request) (authz.Decision, error)
	asked   []authz.Request
	settled []bool
	keys    map[string]bool
}

func (s *spy) Authorize(ctx context.Context, req authz.Request) (authz.Decision, error) {
	s.asked = append(s.asked, req)
	if s.answer != nil {
		return s.answer(req)
	}
	if s.keys[req.IdempotencyKey] {
		return deny(req, authz.ReasonIdempotencyConflict), nil
	}
	s.keys[req.IdempotencyKey] = true
	return authz.PermitAll{}.Authorize(ctx, req)
}

func (s *spy) Settle(req authz.Request, executed bool) {
	s.settled = append(s.settled, executed)
	if !executed {
		delete(s.keys, req.IdempotencyKey)
	}
}

func deny(req authz.Request, code authz.DenialReason) authz.Decision {
	return authz.Decision{
		Effect: authz.Deny, Reasons: []authz.Reason{{Code: code, Rule: "r", Message: "because"}}, RequestDigest: req.Digest(),
		IssuedAt: req.At, ExpiresAt: req.At.Add(time.Minute),
	}
}

func config(layer authz.Authorizer, layered bool) dispatch.Config {
	return dispatch.Config{
		EvaluationID: "e", Account: dispatch.Account{Own: own, Currency: bank.USD, Opening: opening},
		Authorizer: layer, Layered: layered, Names: dispatch.TransferFunds, Start: noon,
	}
}

// alone is the path of the model alone.
func alone() *dispatch.Dispatcher { return dispatch.New(config(authz.PermitAll{}, false)) }

// behind is the path behind a spy.
func behind(changes ...func(*dispatch.Config)) (*dispatch.Dispatcher, *spy) {
	s := &spy{keys: map[string]bool{}}
	c := config(s, true)
	for _, change := range changes {
		change(&c)
	}
	return dispatch.New(c), s
}

func transfer(d *dispatch.Dispatcher, raw string) dispatch.Result {
	return d.Call(context.Background(), "transfer_funds", raw)
}

// assertPays is the positive control: a plain payment on the same path executes.
func assertPays(t *testing.T, d *dispatch.Dispatcher) {
	t.Helper()
	before := len(d.Transfers())
	r := transfer(d, rent)
	require.Equal(t, dispatch.Executed, r.Outcome, r.Content)
	require.Len(t, d.Transfers(), before+1)
	assert.Equal(t, rentPaid, paid(d.Transfers()[before]))
	assert.NoError(t, d.Check())
}

// paid is the payment that a transfer posted.
func paid(t bank.Transfer) bank.Payment {
	return bank.Payment{Recipient: t.Recipient, Amount: t.Amount, Currency: t.Currency, Memo: t.Memo}
}
