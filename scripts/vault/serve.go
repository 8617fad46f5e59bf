package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"

	"vaultbench/internal/publish"
	"vaultbench/scripts/settings"
)

// serveCommand shows a run's report over its whole record.
type serveCommand struct {
	Folder string `arg:"" name:"run" help:"A run's folder, such as results/latest."`
	Port   int    `help:"Port on 127.0.0.1; 0: any free one." default:"8090"`
	JWKS   string `name:"jwks" help:"Accept the keys of this file alone (as go tool vault jwks prints them)." placeholder:"FILE"`
}

// Run serves until it is interrupted.
func (c *serveCommand) Run(stdout io.Writer) error {
	trusted, err := loadTrusted(c.JWKS)
	if err != nil {
		return statusError{fmt.Errorf("serve: %w", err), 2}
	}
	run, err := settings.Publish(c.Folder, trusted)
	if err != nil {
		return statusError{fmt.Errorf("serve: %w", err), 2}
	}
	pages, err := run.Serve()
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	listener, err := publish.Listen(c.Port)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if _, err := fmt.Fprintf(stdout, "http://%s/ (ends with Ctrl-C)\n", listener.Addr()); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	server := &http.Server{Handler: pages, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
