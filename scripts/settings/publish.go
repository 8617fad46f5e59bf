package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"vaultbench/fixtures"
	"vaultbench/internal/config"
	"vaultbench/internal/diff"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/publish"
	"vaultbench/internal/receipt"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/shipped"
)

// Publish prepares the reports of a run's folder, held against this checkout.
func Publish(folder string, trusted *receipt.JWKS) (publish.Run, error) {
	w, gate, err := World()
	if err != nil {
		return publish.Run{}, err
	}
	m, err := receipt.ReadManifest(folder)
	if err != nil {
		return publish.Run{}, err
	}
	messages, err := Messages(m.Digests)
	return publish.Run{Folder: folder, Trusted: trusted, World: w, Gate: gate, Rates: diff.Rates, Messages: messages}, err
}

// Messages looks up what users wrote, which the record does not repeat: in this
// checkout's corpus and recordings, in VAULT_CORPUS and in VAULT_RECORDINGS. A file
// that is not the one of the run, by its digest, is not looked at.
func Messages(run map[string]string) (report.MessagesFunc, error) {
	_, options, err := Load()
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	if err := corpusMessages(all, run, options); err != nil {
		return nil, err
	}
	own, err := fs.Sub(fixtures.FS, "recordings")
	if err != nil {
		return nil, err
	}
	folders := []fs.FS{own}
	if options.Recordings != "" {
		folders = append(folders, os.DirFS(options.Recordings))
	}
	for _, fsys := range folders {
		if err := recordedMessages(all, fsys, run); err != nil {
			return nil, fmt.Errorf("read what users of recordings wrote: %w", err)
		}
	}
	return func(attack, _ string) ([]string, bool) {
		texts, ok := all[attack]
		return texts, ok
	}, nil
}

func corpusMessages(all map[string][]string, run map[string]string, options config.Options) error {
	c, err := shipped.Corpus()
	if err != nil {
		return err
	}
	now := map[string]string{}
	if err := errors.Join(shippedDigests(now), corpusDigests(now, options)); err != nil {
		return err
	}
	entries := slices.Concat(c.Attacks, c.Benign)
	if options.Corpus != "" {
		own, err := corpusOf(options)
		if err != nil {
			return err
		}
		entries = slices.Concat(entries, own.Attacks, own.Benign)
	}
	for _, a := range entries {
		if run[a.Path()] != "" && run[a.Path()] == now[a.Path()] {
			all[string(a.ID)] = a.Messages
		}
	}
	return nil
}

// recordingsPrefix begins the names of recordings in a manifest.
const recordingsPrefix = "recordings/"

func recordedMessages(all map[string][]string, fsys fs.FS, run map[string]string) error {
	for name, digest := range run {
		file, ok := strings.CutPrefix(name, recordingsPrefix)
		if !ok {
			continue
		}
		if _, err := fs.Stat(fsys, file); err != nil {
			continue // another folder's
		}
		now := map[string]string{}
		if err := suite.Digests(now, recordingsPrefix, fsys, file); err != nil || now[name] != digest {
			continue // changed since, or not to be read
		}
		err := recorded.Each(fsys, file, func(c recorded.Conversation) error {
			var texts []string
			for _, m := range c.Messages {
				if m.Role == llm.RoleUser {
					texts = append(texts, m.Content)
				}
			}
			all[c.ID] = texts
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
