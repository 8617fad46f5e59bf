package oap

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vaultbench/internal/oap/condition"
)

// PackFile is a file that should hold a pack, and what it holds.
type PackFile struct {
	File    string
	Pack    PolicyPack
	Refused []Refusal // the rules that can't be followed
	Err     error     // why the file is no pack
}

// ReadPacks reads every pack of a folder in either layout: *.json, and
// policy.json in each of its folders. A file that is no pack has its error; a
// folder without any is one.
func ReadPacks(fsys fs.FS) ([]PackFile, error) {
	var files []string
	for _, pattern := range []string{"*.json", "*/policy.json"} {
		found, err := fs.Glob(fsys, pattern)
		if err != nil {
			return nil, fmt.Errorf("read packs: %w", err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, errors.New("read packs: no file matches *.json or */policy.json")
	}
	slices.Sort(files)
	var out []PackFile
	for _, file := range files {
		p := PackFile{File: file}
		raw, err := fs.ReadFile(fsys, file)
		if err == nil {
			p.Pack, p.Refused, err = ReadPack(file, raw)
		}
		p.Err = err
		out = append(out, p)
	}
	return out, nil
}

// Refusal returns why a rule is refused; nil if it is not.
func (p PackFile) Refusal(rule string) *Refusal {
	for i := range p.Refused {
		if p.Refused[i].Rule == rule {
			return &p.Refused[i]
		}
	}
	return nil
}

// Foreseen reports whether the rule is refused for being prose or for calling a
// function that nobody registered: the file is as it should be, and the engine
// can't follow it.
func (r Refusal) Foreseen() bool {
	return errors.Is(r.Err, condition.ErrProse) || errors.Is(r.Err, condition.ErrUnknownFunction)
}

// String words the refusal, its column last.
func (r Refusal) String() string {
	var at *condition.Error
	if errors.As(r.Err, &at) {
		return fmt.Sprintf("%v: %s (column %d)", at.Err, at.Detail, at.Column)
	}
	return r.Err.Error()
}

// Reads lists the limits that a rule reads; none for one that does not parse.
func (p PolicyPack) Reads(r Rule) []condition.Read {
	if r.expr == nil || len(p.RequiresCapabilities) == 0 {
		return nil
	}
	return r.expr.Limits(strings.Split(string(p.RequiresCapabilities[0]), "."))
}
