package receipt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/record"
)

func begun() record.Manifest {
	return record.Manifest{Version: record.ManifestVersion, RunID: "r1", StartedAt: "2026-11-30T00:00:00Z", GoVersion: "go1.26", Trials: 1}
}

// TestReadManifestRefuses: a manifest may be well signed and still lie about who
// signed it.
func TestReadManifestRefuses(t *testing.T) {
	own := newKey([]byte(strings.Repeat("o", 32)))
	for _, tt := range []struct {
		name, want string
		key        Key
		change     func(m *record.Manifest)
		reason     string
	}{
		{"as it was signed", "", own, func(*record.Manifest) {}, "the control"},
		{"test key as own", "signing_key is own, but the published test key signed it", TestKey(), func(m *record.Manifest) { m.SigningKey = SignedOwn }, "anybody has it"},
		{"own key as test", "signing_key is test, but key " + own.ID() + " signed it", own, func(m *record.Manifest) { m.SigningKey = SignedTest }, "it is not the published one"},
		{"kid of another key", "kid is " + TestKey().ID() + ", its public key makes " + own.ID(), own, func(m *record.Manifest) { m.KeyID = TestKey().ID() }, "a key id is made of its key"},
		{"public key of another", "signature does not verify", own, func(m *record.Manifest) { m.PublicKey = TestKey().Public() }, "it verifies with its own"},
		{"spare bits of the public key", "public key is no base64 of 32 bytes", TestKey(), func(m *record.Manifest) {
			m.PublicKey = strings.TrimSuffix(m.PublicKey, "0=") + "1="
		}, "one way to write it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, dir := begun(), t.TempDir()
			require.NoError(t, SignManifest(&m, tt.key))
			tt.change(&m)
			m.Signature = ""
			raw, err := json.Marshal(m)
			require.NoError(t, err)
			message, err := unsignedManifest(raw)
			require.NoError(t, err)
			m.Signature = tt.key.signature(message)
			path := filepath.Join(dir, record.ManifestFile)
			require.NoError(t, record.WriteJSON(path, m))
			got, err := ReadManifest(dir)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				assert.Equal(t, m, got)
				return
			}
			require.ErrorContains(t, err, path+": "+tt.want, tt.reason)
		})
	}
}

// TestSignManifestAgain: a run signs its manifest each time that it writes it.
func TestSignManifestAgain(t *testing.T) {
	m := begun()
	require.NoError(t, SignManifest(&m, TestKey()))
	first := m.Signature
	require.NoError(t, SignManifest(&m, TestKey()))
	assert.Equal(t, first, m.Signature, "the signature is no part of what is signed")
	m.Trials = 2
	require.NoError(t, SignManifest(&m, TestKey()))
	assert.NotEqual(t, first, m.Signature)
}

func TestLoadKeySetErrors(t *testing.T) {
	_, err := LoadKeySet(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	file := keyFile(t, `{"keys":[]}`)
	_, err = LoadKeySet(file)
	require.ErrorContains(t, err, file+":1: does not match schema jwks.schema.json: at /keys: minItems")
}

// TestNames: in one run a digest has one name.
func TestNames(t *testing.T) {
	known := Receipt{PassportDigest: "p", PassportID: "id", AgentID: "id", OwnerID: "o", AssuranceLevel: "L2", PolicyDigest: "q", PolicyID: "pack"}
	for _, tt := range []struct {
		name, want string
		change     func(r *Receipt)
		reason     string
	}{
		{"the same", "", func(*Receipt) {}, "the control"},
		{"other digests, other names", "", func(r *Receipt) { *r = Receipt{PassportDigest: "p2", PolicyDigest: "q2", PolicyID: "x"} }, "a name may be unknown"},
		{"neither", "", func(r *Receipt) { *r = Receipt{} }, "a denial by dispatch"},
		{"two names of one agent", `agent_id "x" and passport_id "id" are two names of one thing`, func(r *Receipt) { r.AgentID = "x" }, "both naming sets"},
		{"no passport digest", "passport or pack is named without its digest", func(r *Receipt) { r.PassportDigest = "" }, "the name stands for the content"},
		{"no owner", `passport_id "id", owner_id "", assurance_level "L2": a passport has all three`, func(r *Receipt) { r.PassportDigest, r.OwnerID = "p2", "" }, "a holder is known or not"},
		{"no assurance", `passport_id "id", owner_id "o", assurance_level "": a passport has all three`, func(r *Receipt) { r.PassportDigest, r.AssuranceLevel = "p2", "" }, "a holder is known or not"},
		{"owner of nobody", `passport_id "", owner_id "o", assurance_level "": a passport has all three`, func(r *Receipt) { *r = Receipt{PassportDigest: "p2", OwnerID: "o"} }, "a holder is known or not"},
		{"no policy digest", "passport or pack is named without its digest", func(r *Receipt) { r.PolicyDigest = "" }, "the name stands for the content"},
		{"other owner", `passport_digest p was that of passport "id" of "o" before, and is that of "id" of "x" here`, func(r *Receipt) { r.OwnerID = "x" }, "one passport, one owner"},
		{"other pack", `policy_digest q was that of pack "pack" before, and is that of "x" here`, func(r *Receipt) { r.PolicyID = "x" }, "one content, one pack"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n names
			require.NoError(t, n.check(known))
			r := known
			tt.change(&r)
			err := n.check(r)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.EqualError(t, err, tt.want, tt.reason)
		})
	}
}
