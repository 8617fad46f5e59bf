package config

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible is a context that ends with the first SIGINT or SIGTERM, so that
// what is half done can be taken away; a second one ends the process.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
