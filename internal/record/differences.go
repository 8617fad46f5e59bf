package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Differences lists, one a line, what two runs were made of that is not the
// same: their records must not stand in one run. Options named in free may differ;
// of every other the value counts, wherever it came from.
func Differences(was, is Manifest, free ...string) []string {
	d := &differences{}
	d.one("schema_version", strconv.Itoa(was.Version), strconv.Itoa(is.Version))
	d.one("revision", was.Revision, is.Revision)
	d.one("revision_modified", strconv.FormatBool(was.Modified), strconv.FormatBool(is.Modified))
	d.one("signing key", was.KeyID, is.KeyID)
	d.one("trials", strconv.Itoa(was.Trials), strconv.Itoa(is.Trials))
	d.one("simulated bankers", strings.Join(was.Sims, ","), strings.Join(is.Sims, ","))
	d.all("model ", models(was), models(is))
	d.all("option ", options(was, free), options(is, free))
	d.all("digest of ", was.Digests, is.Digests)
	return d.lines
}

type differences struct{ lines []string }

func (d *differences) one(name, was, is string) {
	if was != is {
		d.lines = append(d.lines, fmt.Sprintf("%s: was %s, is %s", name, shown(was), shown(is)))
	}
}

func (d *differences) all(prefix string, was, is map[string]string) {
	names := maps.Clone(was)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d.one(prefix+name, was[name], is[name])
	}
}

// shown cuts a digest to what tells it apart.
func shown(value string) string {
	if len(value) == 64 && strings.Trim(value, "0123456789abcdef") == "" {
		return value[:12] + "…"
	}
	return cmp.Or(value, "nothing")
}

func models(m Manifest) map[string]string {
	all := map[string]string{}
	for _, model := range m.Models {
		all[model.Slug] = fmt.Sprintf("%s at %s", cmp.Or(model.ID, "no id"), model.Provider)
	}
	return all
}

// options are the values of the variables, without where each was found.
func options(m Manifest, free []string) map[string]string {
	all := map[string]string{}
	for name := range m.Options {
		if slices.Contains(free, name) {
			continue
		}
		if value := m.Option(name); value != "" {
			all[name] = value
		}
	}
	return all
}
