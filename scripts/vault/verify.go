package main

import (
	"encoding/json"
	"fmt"
	"io"

	"vaultbench/internal/escape"
	"vaultbench/internal/receipt"
)

// verifyCommand checks a run's signed files.
type verifyCommand struct {
	Folder string `arg:"" name:"run" help:"A run's folder, such as results/latest."`
	JWKS   string `name:"jwks" help:"Accept the keys of this file alone (as go tool vault jwks prints them). Without it the run names its own key, and nobody vouches for it." placeholder:"FILE"`
}

// Run prints one line; the first fault, with its file and line, is the error.
func (c *verifyCommand) Run(stdout io.Writer) error {
	trusted, err := loadTrusted(c.JWKS)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	r, err := receipt.Verify(c.Folder, trusted)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "OK %s: %d receipts, %d evaluations, %d transfers behind a layer as allowed; signed by %s; reports are computed from this record and not covered\n",
		escape.Line(r.RunID), r.Receipts, r.Evaluations, r.Transfers, signer(r, trusted != nil))
	return err
}

// signer says which key signed and what that is worth.
func signer(r receipt.Report, pinned bool) string {
	switch {
	case r.SigningKey == receipt.SignedTest:
		return "the published test key " + r.KeyID + ": shows damage, not who signed"
	case pinned:
		return "own key " + r.KeyID + ", one of the trusted"
	}
	return "own key " + r.KeyID + "; --jwks checks whose it is"
}

// jwksCommand prints the key that signed a run.
type jwksCommand struct {
	Folder string `arg:"" name:"run" help:"A run's folder, such as results/latest."`
}

// Run prints the key set.
func (c *jwksCommand) Run(stdout io.Writer) error {
	m, err := receipt.ReadManifest(c.Folder)
	if err != nil {
		return fmt.Errorf("jwks: %w", err)
	}
	set, err := receipt.KeySet(m)
	if err != nil {
		return fmt.Errorf("jwks: %w", err)
	}
	enc := json.NewEncoder(stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(set)
}
