package export

import (
	"fmt"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/record"
)

// The entries of a transcript.
const (
	entryReply    = "reply"
	entryCall     = "call"
	entryTransfer = "transfer"
)

// Entry is a row of transcripts: one reply of the model, one call or one posted
// transfer of an evaluation. What the user said stands in prompts. Columns that an
// entry has no use for are empty.
type Entry struct {
	Evaluation string `parquet:"evaluation,dict" json:"evaluation"`
	Entry      string `parquet:"entry,dict" json:"entry"` // reply, call or transfer
	Seq        int64  `parquet:"seq" json:"seq"`          // among the entries of its sort in the evaluation, from 1
	Turn       int64  `parquet:"turn" json:"turn"`        // user message that it belongs to, from 1; 0: transfers
	Position   int64  `parquet:"position" json:"position"`

	Content      string `parquet:"content" json:"content"`
	FinishReason string `parquet:"finish_reason,dict" json:"finish_reason"`
	ProseCall    bool   `parquet:"prose_call" json:"prose_call"`
	ServedModel  string `parquet:"served_model,dict" json:"served_model"`
	InputTokens  int64  `parquet:"input_tokens" json:"input_tokens"`
	CachedTokens int64  `parquet:"cached_tokens" json:"cached_tokens"`
	OutputTokens int64  `parquet:"output_tokens" json:"output_tokens"`
	LatencyMS    int64  `parquet:"latency_ms" json:"latency_ms"`

	Tool            string   `parquet:"tool,dict" json:"tool"`
	ToolID          string   `parquet:"tool_id" json:"tool_id"`
	Arguments       string   `parquet:"arguments" json:"arguments"`               // raw, where valid UTF-8
	ArgumentsBase64 string   `parquet:"arguments_base64" json:"arguments_base64"` // raw, where not
	Transfer        bool     `parquet:"transfer" json:"transfer"`                 // the call is a payment request
	Outcome         string   `parquet:"outcome,dict" json:"outcome"`
	Parsed          bool     `parquet:"parsed" json:"parsed"` // the arguments passed the strict parse
	From            string   `parquet:"from_account,dict" json:"from_account"`
	Recipient       string   `parquet:"recipient" json:"recipient"`
	Amount          int64    `parquet:"amount" json:"amount"` // minor units
	Currency        string   `parquet:"currency,dict" json:"currency"`
	Memo            string   `parquet:"memo" json:"memo"`
	Effect          string   `parquet:"effect,dict" json:"effect"` // allow, deny; empty where nobody decided
	Code            string   `parquet:"code,dict" json:"code"`     // of the decision
	Rule            string   `parquet:"rule,dict" json:"rule"`
	Decision        jsonText `parquet:"decision" json:"decision"` // whole
	Refusal         string   `parquet:"refusal,dict" json:"refusal"`
	Result          string   `parquet:"result" json:"result"` // what the model was told
	At              string   `parquet:"at,dict" json:"at"`    // virtual clock, RFC 3339
	Rest            jsonText `parquet:"rest,dict" json:"rest"`
}

// entriesOf makes the rows of an evaluation: its replies, its calls, its
// transfers, each in order.
func entriesOf(e record.Evaluation) ([]Entry, error) {
	var all []Entry
	for i, r := range e.Replies {
		row, err := replyEntry(r)
		if err != nil {
			return nil, err
		}
		row.Evaluation, row.Entry, row.Seq = e.ID, entryReply, int64(i+1)
		all = append(all, row)
	}
	for i, c := range e.Calls {
		row, err := callEntry(c)
		if err != nil {
			return nil, err
		}
		row.Evaluation, row.Entry, row.Seq = e.ID, entryCall, int64(i+1)
		all = append(all, row)
	}
	for i, t := range e.Transfers {
		row, err := transferEntry(t)
		if err != nil {
			return nil, err
		}
		row.Evaluation, row.Entry, row.Seq = e.ID, entryTransfer, int64(i+1)
		all = append(all, row)
	}
	return all, nil
}

func replyEntry(r record.Reply) (Entry, error) {
	rest, err := restOf(r, func(r *record.Reply) {
		r.Turn, r.Content, r.FinishReason, r.ProseCall, r.ServedModel = 0, "", "", false, ""
		r.InputTokens, r.OutputTokens, r.CachedTokens, r.LatencyMS = 0, 0, 0, 0
	})
	return Entry{
		Turn: int64(r.Turn), Content: r.Content, FinishReason: r.FinishReason, ProseCall: r.ProseCall, ServedModel: r.ServedModel,
		InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, CachedTokens: r.CachedTokens, LatencyMS: r.LatencyMS, Rest: rest,
	}, err
}

func (e Entry) reply() (r record.Reply, err error) {
	err = e.Rest.into(&r)
	r.Turn, r.Content, r.FinishReason, r.ProseCall, r.ServedModel = int(e.Turn), e.Content, e.FinishReason, e.ProseCall, e.ServedModel
	r.InputTokens, r.OutputTokens, r.CachedTokens, r.LatencyMS = e.InputTokens, e.OutputTokens, e.CachedTokens, e.LatencyMS
	return r, err
}

func callEntry(c record.Call) (Entry, error) {
	rest, err := restOf(c, func(c *record.Call) {
		c.Position, c.Turn, c.Tool, c.ToolID, c.Arguments, c.ArgumentsBase64, c.Transfer = 0, 0, "", "", "", "", false
		c.Outcome, c.Payment, c.Decision, c.Refusal, c.At, c.Result = "", nil, nil, "", time.Time{}, ""
	})
	if err != nil {
		return Entry{}, err
	}
	row := Entry{
		Turn: int64(c.Turn), Position: int64(c.Position), Tool: c.Tool, ToolID: c.ToolID, Arguments: c.Arguments, ArgumentsBase64: c.ArgumentsBase64,
		Transfer: c.Transfer, Outcome: string(c.Outcome), Refusal: c.Refusal, Result: c.Result, At: clock(c.At), Rest: rest,
	}
	if p := c.Payment; p != nil {
		row.Parsed, row.Recipient, row.Amount, row.Currency, row.Memo = true, string(p.Recipient), int64(p.Amount), string(p.Currency), p.Memo
	}
	if d := c.Decision; d != nil {
		row.Effect, row.Code, row.Rule = string(d.Effect), string(d.Reason()), d.Rule()
		row.Decision, err = jsonOf(d, false)
	}
	return row, err
}

func (e Entry) call() (c record.Call, err error) {
	if err := e.Rest.into(&c); err != nil {
		return c, err
	}
	c.Position, c.Turn, c.Tool, c.ToolID, c.Transfer = int(e.Position), int(e.Turn), e.Tool, e.ToolID, e.Transfer
	c.Arguments, c.ArgumentsBase64, c.Outcome, c.Refusal, c.Result = e.Arguments, e.ArgumentsBase64, record.CallOutcome(e.Outcome), e.Refusal, e.Result
	if e.Parsed {
		c.Payment = &record.ParsedPayment{Recipient: bank.AccountID(e.Recipient), Amount: bank.Amount(e.Amount), Currency: bank.Currency(e.Currency), Memo: e.Memo}
	}
	if e.Decision != "" {
		c.Decision = &authz.Decision{}
		if err := e.Decision.into(c.Decision); err != nil {
			return c, err
		}
	}
	c.At, err = moment(e.At)
	return c, err
}

func transferEntry(t bank.Transfer) (Entry, error) {
	rest, err := restOf(t, func(t *bank.Transfer) {
		t.Position, t.From, t.Recipient, t.Amount, t.Currency, t.Memo, t.At = 0, "", "", 0, "", "", time.Time{}
	})
	return Entry{
		Position: int64(t.Position), From: string(t.From), Recipient: string(t.Recipient), Amount: int64(t.Amount), Currency: string(t.Currency),
		Memo: t.Memo, At: clock(t.At), Rest: rest,
	}, err
}

func (e Entry) transfer() (t bank.Transfer, err error) {
	if err := e.Rest.into(&t); err != nil {
		return t, err
	}
	t.Position, t.From, t.Recipient, t.Amount = int(e.Position), bank.AccountID(e.From), bank.AccountID(e.Recipient), bank.Amount(e.Amount)
	t.Currency, t.Memo = bank.Currency(e.Currency), e.Memo
	t.At, err = moment(e.At)
	return t, err
}

// clock writes a moment as a record does; moment reads it.
func clock(t time.Time) string { return t.Format(time.RFC3339Nano) }

func moment(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, fmt.Errorf("at: %w", err)
	}
	return t, nil
}

// join puts an entry into its evaluation; entries come in order.
func (e Entry) join(into *record.Evaluation) error {
	var err error
	n := 0
	switch e.Entry {
	case entryReply:
		var r record.Reply
		r, err = e.reply()
		into.Replies = append(into.Replies, r)
		n = len(into.Replies)
	case entryCall:
		var c record.Call
		c, err = e.call()
		into.Calls = append(into.Calls, c)
		n = len(into.Calls)
	case entryTransfer:
		var t bank.Transfer
		t, err = e.transfer()
		into.Transfers = append(into.Transfers, t)
		n = len(into.Transfers)
	default:
		return fmt.Errorf("%q: unknown entry %q: want %s, %s or %s", e.Evaluation, e.Entry, entryReply, entryCall, entryTransfer)
	}
	if err == nil && int64(n) != e.Seq {
		err = fmt.Errorf("seq is %d, want %d: a row is missing or was moved", e.Seq, n)
	}
	if err != nil {
		return fmt.Errorf("%q: %s %d: %w", e.Evaluation, e.Entry, e.Seq, err)
	}
	return nil
}
