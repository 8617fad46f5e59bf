package vault_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaultbench/internal/record"
	vault "vaultbench/vault_test"
)

// stopping ends when the run has to stop asking; its cause is a *record.Stop.
var stopping, stop = context.WithCancelCause(context.Background())

// watchSignals lets the first signal stop the run: what was done is written and
// reported. A second one ends the process at once, as it would without this; the
// journal is whole even then.
func watchSignals() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		fmt.Fprintf(os.Stderr, "vault: %s: asking nothing more, writing what was done; once more to end at once\n", s)
		stop(&record.Stop{Reason: record.Interrupted, Detail: s.String()})
	}()
}

// watchDeadline stops the run while there is still time to write its files: a
// tenth of what go test leaves, two minutes at most. Beyond the deadline go test
// would end the process with a panic.
func watchDeadline(t *testing.T) {
	deadline, ok := t.Deadline()
	if !ok {
		return
	}
	onceDeadline.Do(func() {
		left := time.Until(deadline)
		leave := min(left/10, 2*time.Minute)
		if os.Getenv(vault.ChildVariable) == vault.Hasty {
			leave = left - left/10
		}
		time.AfterFunc(left-leave, func() {
			stop(&record.Stop{Reason: record.Deadline, Detail: "the deadline of go test draws near: give it a longer -timeout, or 0 for none"})
		})
	})
}

var onceDeadline sync.Once

// runContext is a test's context that ends with the run, too.
func runContext(t *testing.T) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	release := context.AfterFunc(stopping, func() { cancel(context.Cause(stopping)) })
	t.Cleanup(func() {
		release()
		cancel(nil)
	})
	return ctx
}
