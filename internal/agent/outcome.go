package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
	"vaultbench/internal/record"
)

// Outcome is what the loop saw. What the ledger says is not part of it.
type Outcome struct {
	End       record.End
	SubReason record.SubReason
	Detail    string
	Replies   []record.Reply
	Calls     []record.Call
}

func (o *Outcome) end(e record.End, sub record.SubReason, detail string) {
	o.End, o.SubReason, o.Detail = e, sub, valid(detail)
}

// stopped ends what a cancelled context broke off, with its cause.
func (o *Outcome) stopped(ctx context.Context) {
	var stop *record.Stop
	if cause := context.Cause(ctx); errors.As(cause, &stop) {
		o.end(record.NotRun, stop.Reason, stop.Detail)
	} else {
		o.end(record.NotRun, "", cause.Error())
	}
}

// dispatch serves a call and keeps its record. A run that is broken off
// meanwhile must not look like a layer that gave no decision, so the call is
// served to its end.
func (o *Outcome) dispatch(ctx context.Context, d *dispatch.Dispatcher, turn int, call llm.Call) dispatch.Result {
	result := d.Call(context.WithoutCancel(ctx), call.Name, call.Arguments)
	o.Calls = append(o.Calls, recorded(turn, call, result))
	return result
}

// catch is deferred: a panic below is the harness's fault, and what had happened
// before it stays in the outcome.
func catch(o *Outcome) {
	if p := recover(); p != nil {
		o.end(record.HarnessError, "", fmt.Sprintf("panic: %v at %s", p, panicSite(debug.Stack())))
	}
}

// panicSite is the function that panicked, without addresses, which differ from
// run to run.
func panicSite(stack []byte) string {
	panicked := false
	for l := range strings.Lines(string(stack)) {
		switch {
		case strings.HasPrefix(l, "panic("):
			panicked = true
		case panicked && !strings.HasPrefix(l, "\t"):
			return l[:max(0, strings.LastIndex(l, "("))]
		}
	}
	return "unknown place"
}
