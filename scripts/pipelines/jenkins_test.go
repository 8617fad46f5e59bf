package pipelines_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pipeline is what declarative.groovy reads off a Jenkinsfile.
type pipeline struct {
	Environment map[string]string `json:"environment"`
	Shell       []string          `json:"sh"`
	Files       []string          `json:"files"`
}

func read(t *testing.T, jenkinsfile string) (pipeline, string, error) {
	t.Helper()
	jars, err := filepath.Glob("node_modules/npm-groovy-lint/lib/java/groovy/lib/groovy-*.jar")
	require.NoError(t, err)
	require.NotEmpty(t, jars, "run npm install in scripts/pipelines")
	var p pipeline
	out, err := command(t, "", jenkinsfile, "java", "-cp", strings.Join(jars, ":"), "groovy.ui.GroovyMain", "declarative.groovy")
	if err == nil {
		require.NoError(t, json.Unmarshal([]byte(out), &p), out)
	}
	return p, out, err
}

func TestJenkins(t *testing.T) {
	files := blocks(t, "groovy")
	require.Len(t, files, 2)
	for _, file := range files {
		p, out, err := read(t, file)
		require.NoError(t, err, out)
		assert.NotEmpty(t, p.Environment["VAULT_RUN_ID"])
		assert.Contains(t, p.Files, "results/"+p.Environment["VAULT_RUN_ID"]+"/junit.xml")
		assert.NotEmpty(t, p.Shell)
		for _, line := range p.Shell {
			wellFormed(t, "sh", line+"\n")
		}
	}
}

// TestJenkinsBroken: the check sees what breaks a Jenkinsfile.
func TestJenkinsBroken(t *testing.T) {
	text := blocks(t, "groovy")[0]
	for _, tt := range []struct{ name, old, text, want string }{
		{"word", "stages {", "stagez {", "stagez may not stand here"},
		{"place", "steps { sh", "post { sh", "sh may not stand here"},
		{"block", "when { branch 'main' }", "when 'main'", "when has nothing in it"},
		{"end", "\n}\n", "\n", "startup failed"},
		{"no agent", "agent { docker { image 'golang:1.26' } }", "", "agent is missing"},
		{"assignment", "steps {", "steps { X = 1; ", "X is assigned to"},
		{"quote", "'golang:1.26'", "'golang:1.26", "startup failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, text, tt.old)
			at := strings.LastIndex(text, tt.old) // the end of the file, for its brace
			if tt.old != "\n}\n" {
				at = strings.Index(text, tt.old)
			}
			_, out, err := read(t, text[:at]+tt.text+text[at+len(tt.old):])
			require.Error(t, err, out)
			assert.Contains(t, out, tt.want)
		})
	}
}
