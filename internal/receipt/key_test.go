package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/record"
)

// The first test key of RFC 8032, section 7.1, and its public half as RFC 8037,
// appendix A.2, writes it.
const (
	rfcSeed      = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
	rfcPublic    = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
	rfcX         = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
	rfcSignature = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)

func keyFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seed")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

// loadKeyCases: {seed} is the seed in hex, {base64} in base64.
var loadKeyCases = []struct {
	name, content string
	wantErr       bool
	reason        string
}{
	{"hex", "{seed}", false, "64 digits"},
	{"upper-case hex", strings.ToUpper(rfcSeed), false, "hex has two cases"},
	{"base64", "{base64}", false, "44 characters"},
	{"white space around", "\r\n\t {seed} \n\n", false, "editors end files with a line feed"},
	{"white space around base64", " {base64}\n", false, "likewise"},
	{"white space inside", "nWGxne/9WmC6hEr0\nkuwsxERJxWl7MmkZcDusAxyuf2A=", true, "a decoder would skip it"},
	{"short", rfcSeed[:62], true, "31 bytes"},
	{"long", "{seed}00", true, "33 bytes"},
	{"private key of 64 bytes", rfcSeed + rfcPublic, true, "it is the seed that is asked for"},
	{"base64 without padding", "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", true, "cut, maybe"},
	{"base64 of hex", base64.StdEncoding.EncodeToString([]byte(rfcSeed)), true, "64 bytes"},
	{"PEM", "-----BEGIN PRIVATE KEY-----\n{base64}\n-----END PRIVATE KEY-----\n", true, "another format"},
	{"empty", "", true, "no key"},
	{"blank", " \n", true, "no key"},
	{"huge", strings.Repeat(" ", maxKeyFile) + rfcSeed, true, "not read to its end"},
}

func TestLoadKey(t *testing.T) {
	fill := strings.NewReplacer("{seed}", rfcSeed, "{base64}", "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=")
	for _, tt := range loadKeyCases {
		t.Run(tt.name, func(t *testing.T) {
			file := keyFile(t, fill.Replace(tt.content))
			k, err := LoadKey(file)
			if !tt.wantErr {
				require.NoError(t, err, tt.reason)
				assert.Equal(t, rfcPublic, hex.EncodeToString(k.public), tt.reason)
				assert.Equal(t, SignedOwn, k.Kind())
				return
			}
			require.EqualError(t, err, "signing key "+file+": "+errSeed.Error(), "no content: %s", tt.reason)
		})
	}
	_, err := LoadKey(filepath.Join(t.TempDir(), "none"))
	require.ErrorContains(t, err, "no such file or directory (VAULT_SIGNING_KEY names the file)")
	_, err = LoadKey(t.TempDir())
	require.ErrorContains(t, err, "is a directory (VAULT_SIGNING_KEY names the file)")
}

func TestKeyOfRFC8032(t *testing.T) {
	k, err := LoadKey(keyFile(t, rfcSeed))
	require.NoError(t, err)
	assert.Equal(t, rfcSignature, hex.EncodeToString(k.sign(nil)))
	assert.Equal(t, "oap:owner:vaultbench.example:21fe31dfa154a261", k.ID(), "sha256 of the public key, 16 digits")
	var m record.Manifest
	require.NoError(t, SignManifest(&m, k))
	set, err := KeySet(m)
	require.NoError(t, err)
	assert.Equal(t, JWKS{Keys: []JWK{{Type: "OKP", Curve: "Ed25519", X: rfcX, KeyID: k.ID(), Use: "sig", Algorithm: "EdDSA"}}}, set)
	raw, err := json.Marshal(set)
	require.NoError(t, err)
	again, err := LoadKeySet(keyFile(t, string(raw)))
	require.NoError(t, err)
	assert.Equal(t, set, again, "what is printed is read")
	assert.True(t, again.holds(k.public))
	assert.False(t, again.holds(TestKey().public))
}

// TestTestKey: the published key, by whatever way it comes, is marked as such.
func TestTestKey(t *testing.T) {
	loaded, err := LoadKey("")
	require.NoError(t, err)
	assert.Equal(t, TestKey().ID(), loaded.ID(), "no file")
	loaded, err = LoadKey(keyFile(t, hex.EncodeToString([]byte(testSeed))))
	require.NoError(t, err)
	assert.Equal(t, SignedTest, loaded.Kind(), "a file that holds it")
	assert.Equal(t, "oap:owner:vaultbench.example:64efeabfa262a213", loaded.ID(), "published: it never changes")
}

// TestKeyDoesNotLeak: however a key is printed, its secret half is not.
func TestKeyDoesNotLeak(t *testing.T) {
	k, err := LoadKey(keyFile(t, rfcSeed))
	require.NoError(t, err)
	seed, err := hex.DecodeString(rfcSeed)
	require.NoError(t, err)
	holder := struct{ key Key }{k}
	asJSON, err := json.Marshal(struct {
		Key  Key
		Name string
	}{k, "k"})
	require.NoError(t, err)
	printed := string(asJSON)
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s", "%q", "%d"} {
		printed += fmt.Sprintf(verb+verb+verb, k, &k, holder)
	}
	decimal := strings.Trim(fmt.Sprint(seed[:8]), "[]")
	for _, secret := range []string{rfcSeed[:16], strings.ToUpper(rfcSeed[:16]), base64.StdEncoding.EncodeToString(seed)[:10], string(seed[:8]), decimal} {
		assert.NotContains(t, printed, secret)
	}
	assert.Contains(t, printed, "215 90 152", "the search sees the public half")
}

func TestCheckSignature(t *testing.T) {
	k := TestKey()
	good := k.signature([]byte("m"))
	for _, tt := range []struct {
		name, message, signature string
		want                     bool
		reason                   string
	}{
		{"good", "m", good, true, "the control"},
		{"other message", "n", good, false, "it signs one message"},
		{"without its algorithm", "m", strings.TrimPrefix(good, signaturePrefix), false, "one way to write it"},
		{"line feed inside", "m", good[:20] + "\n" + good[20:], false, "a decoder would skip it"},
		{"blank at the end", "m", good + " ", false, "one way to write it"},
		{"short", "m", signaturePrefix + base64.StdEncoding.EncodeToString(make([]byte, 63)), false, "64 bytes"},
		{"empty", "m", "", false, "nothing is no signature"},
		{"no base64", "m", signaturePrefix + "?", false, "nothing is no signature"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := checkSignature(k.public, []byte(tt.message), tt.signature)
			if tt.want {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorIs(t, err, errSignature, tt.reason)
		})
	}
	assert.Len(t, k.public, ed25519.PublicKeySize)
}
