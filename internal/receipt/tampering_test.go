package receipt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// decisions changes the receipts of a run, drop drops the n-th of them.
func decisions(change func([]byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, dir string) { edit(t, dir, receipt.File, change) }
}

func drop(n int) func(*testing.T, string) {
	return decisions(byLine(func(l [][]byte) [][]byte { return slices.Delete(l, n-1, n) }))
}

// tampering is what can be done to the files of a run, and how it is found.
var tampering = []struct {
	name, want string
	tamper     func(t *testing.T, dir string)
	reason     string
}{
	{"first line dropped", "decisions.jsonl:1: sequence is 2, want 1", drop(1), "lines count from 1"},
	{"middle line dropped", "decisions.jsonl:5: sequence is 6, want 5", drop(5), "no gap"},
	{"last line dropped", "decisions.jsonl:9: file ends here, the manifest says 9 lines: the end was dropped, from call 4", drop(9), "the tail is part of it"},
	{"lines swapped", "decisions.jsonl:3: sequence is 4, want 3", decisions(byLine(func(l [][]byte) [][]byte {
		l[2], l[3] = l[3], l[2]
		return l
	})), "order is part of it"},
	{"line repeated", "decisions.jsonl:4: sequence is 3, want 4", decisions(byLine(func(l [][]byte) [][]byte { return slices.Insert(l, 3, l[2]) })), "once each"},
	{"last line repeated", "decisions.jsonl:10: sequence is 9, want 10", decisions(func(raw []byte) []byte {
		return append(raw, raw[bytes.LastIndexByte(raw[:len(raw)-1], '\n')+1:]...)
	}), "once each, the last too"},
	{"hex digit upper-cased", "decisions.jsonl:2: signature does not verify", decisions(replace(`"passport_digest":"sha256:0a`, `"passport_digest":"sha256:0A`, 2)), "it is another byte"},
	{"hex digit of prev changed", "decisions.jsonl:1: prev is not the digest of the line before", decisions(replace(`"prev":"0000`, `"prev":"0001`, 1)), "the chain holds"},
	{"white space added", "decisions.jsonl:3: not written in canonical form (RFC 8785): byte ", decisions(replace(`"allow":`, `"allow": `, 3)), "one way to write a receipt"},
	{"blank at the end of a line", "decisions.jsonl:9: not written in canonical form", decisions(func(raw []byte) []byte { return append(raw[:len(raw)-1], " \n"...) }), "one way to write a receipt"},
	{"escape for a character", "decisions.jsonl:3: not written in canonical form", decisions(replace(`"origin":"layer"`, `"origin":"l\u0061yer"`, 3)), "one way to write a text"},
	{"CRLF", "decisions.jsonl:1: not written in canonical form", decisions(replace("\n", "\r\n", 1)), "one way to end a line"},
	{"BOM", "decisions.jsonl:1: jsontext: invalid character", decisions(func(raw []byte) []byte { return append([]byte("\ufeff"), raw...) }), "a file starts with its value"},
	{"blank line", "decisions.jsonl:2: file is empty", decisions(replace("\n", "\n\n", 1)), "no receipt"},
	{"member added", "decisions.jsonl:1: does not match schema decision.schema.json: at /a: unknown member", decisions(replace(`{`, `{"a":1,`, 1)), "nothing unsigned"},
	{"member twice", "decisions.jsonl:1: jsontext: duplicate object member name", decisions(replace(`{`, `{"allow":true,`, 1)), "which one counts?"},
	{"spare bits of base64", "decisions.jsonl:9: signature does not verify: it is not", decisions(spareBits), "the decoder would not mind"},
	{"last line feed gone", "decisions.jsonl:9: line is cut", decisions(func(raw []byte) []byte { return raw[:len(raw)-1] }), "a line has its end"},
	{"cut in half", "decisions.jsonl:5: line is cut", decisions(func(raw []byte) []byte { return raw[:len(raw)/2] }), "half a file"},
	{"empty", "decisions.jsonl:1: file ends here, the manifest says 9 lines", decisions(func([]byte) []byte { return nil }), "nothing left"},
	{"receipts gone", "decisions.jsonl: no such file", func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, receipt.File))) }, "nothing left"},
	{"evaluation dropped", "evaluations.jsonl:6: file has 5 lines, the manifest says 6", func(t *testing.T, dir string) {
		edit(t, dir, record.EvaluationsFile, byLine(func(l [][]byte) [][]byte { return l[:5] }))
	}, "figures come from it"},
	{"evaluation changed", `evaluations.jsonl:1: "sim-a/l2/multi/alone/l2-0001/1": checksum of the line is `, func(t *testing.T, dir string) {
		edit(t, dir, record.EvaluationsFile, replace(`"eve"`, `"bob"`, 1))
	}, "figures come from it"},
	{"manifest changed", "manifest.json: signature does not verify", func(t *testing.T, dir string) {
		edit(t, dir, record.ManifestFile, replace(`"go1.26"`, `"go1.27"`, 1))
	}, "it is signed"},
	{"manifest without a signature", "manifest.json:1: does not match schema manifest.schema.json: at /: missing property 'signature'", func(t *testing.T, dir string) {
		edit(t, dir, record.ManifestFile, replace(`"signature": `, `"signatur": `, 1))
	}, "an unsigned one proves nothing"},
	{"manifest reformatted", "manifest.json: line 2 is not written as a run writes it", func(t *testing.T, dir string) {
		edit(t, dir, record.ManifestFile, replace("\n  ", "\n", 1))
	}, "any changed byte"},
	{"manifest gone", "manifest.json: no such file or directory (give a run's folder, such as results/latest)", func(t *testing.T, dir string) {
		require.NoError(t, os.Remove(filepath.Join(dir, record.ManifestFile)))
	}, "nothing to go by"},
	{"foreign manifest", "evaluations.jsonl:6: file has 6 lines, the manifest says 5", func(t *testing.T, dir string) {
		raw, err := os.ReadFile(filepath.Join(run(t, receipt.TestKey(), some()[:5]...), record.ManifestFile))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, record.ManifestFile), raw, 0o600))
	}, "it is another run's"},
	{"run not finished", "manifest.json: the run did not finish", func(t *testing.T, dir string) { writeManifest(t, dir, begun(), receipt.TestKey()) }, "nothing is sealed yet"},
}

// spareBits changes the last character of the last signature in a bit that base64
// does not use.
func spareBits(raw []byte) []byte {
	at := bytes.LastIndex(raw, []byte(`=="}`)) - 1
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	raw[at] = alphabet[bytes.IndexByte([]byte(alphabet), raw[at])+1]
	return raw
}
