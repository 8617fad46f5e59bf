package settings

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"vaultbench/fixtures"
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
	messages, err := Messages(m.Digests, w.Digests)
	return publish.Run{Folder: folder, Trusted: trusted, World: w, Gate: gate, Rates: diff.Rates, Messages: messages}, err
}

// Messages looks up what users wrote, which the record does not repeat: in this
// checkout's corpus and recordings, and in VAULT_RECORDINGS. A file that is not
// the one of the run, by its digest, is not looked at.
func Messages(run, checkout map[string]string) (report.MessagesFunc, error) {
	_, options, err := Load()
	if err != nil {
		return nil, err
	}
	c, err := shipped.Corpus()
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for _, a := range append(c.Attacks, c.Benign...) {
		if name := "fixtures/" + a.File; run[name] != "" && run[name] == checkout[name] {
			all[string(a.ID)] = a.Messages
		}
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
