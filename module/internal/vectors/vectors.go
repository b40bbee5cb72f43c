// Package vectors reads the conformance vectors for tests.
package vectors

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Group is a list of cases. The cases of verdicts share a policy; the cases of the captcha share a secret and a policy; the cases
// of upgrades share a list of protocols.
type Group[T any] struct {
	Description   string          `json:"description"`
	Policy        json.RawMessage `json:"policy"`
	Secret        string          `json:"secret"`
	Captcha       json.RawMessage `json:"captcha"`
	AllowUpgrades []string        `json:"allowUpgrades"`
	Tests         []T             `json:"tests"`
}

// Named has the members of every case.
type Named struct {
	ID          string `json:"id"`
	Description string `json:"description"`
}

// folder returns the folder of the vectors. It searches upwards from the package under test.
func folder(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	for err == nil && at != filepath.Dir(at) {
		vectors := filepath.Join(at, "conformance/vectors")
		if _, missing := os.Stat(vectors); missing == nil {
			return vectors
		}
		at = filepath.Dir(at)
	}
	t.Fatal("no folder conformance/vectors above the working directory")
	return ""
}

// Read returns the groups of every file whose name begins with kind. names lists the files that must exist.
func Read[T any](t testing.TB, kind string, names ...string) []Group[T] {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder(t), kind+"-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	var groups []Group[T]
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if !strings.HasSuffix(name, "-mutants") { // files of mutants depend on the list of mutants
			found = append(found, name)
		}
		groups = append(groups, read[T](t, path)...)
	}
	slices.Sort(found)
	slices.Sort(names)
	if !slices.Equal(found, names) {
		t.Errorf("files of kind %s: found %v, want %v", kind, found, names)
	}
	return groups
}

func read[T any](t testing.TB, path string) []Group[T] {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var groups []Group[T]
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return groups
}

// Bytes returns the value of a key. It is text or, if it is not ASCII, base64.
func Bytes(t testing.TB, text *string, encoded string) []byte {
	t.Helper()
	if text != nil {
		return []byte(*text)
	}
	bytes, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

var CandidateFiles = []string{
	"candidates-bytes", "candidates-corpus", "candidates-limits", "candidates-mixtures-1", "candidates-mixtures-2",
	"candidates-mixtures-3", "candidates-servers",
}

var VerdictFiles = []string{
	"verdicts-applications", "verdicts-body", "verdicts-body-encoding", "verdicts-body-guesses", "verdicts-body-limits", "verdicts-body-overflow", "verdicts-body-types", "verdicts-client", "verdicts-cookies", "verdicts-exceptions", "verdicts-exploits-all", "verdicts-exploits-paths", "verdicts-exploits-scope", "verdicts-file-keys", "verdicts-header-paths", "verdicts-header-rules", "verdicts-headers", "verdicts-limits",
	"verdicts-multipart", "verdicts-multipart-charset", "verdicts-multipart-encoding", "verdicts-multipart-json", "verdicts-multipart-lines", "verdicts-order", "verdicts-own", "verdicts-patterns", "verdicts-prefilters", "verdicts-query", "verdicts-query-json",
	"verdicts-paths", "verdicts-readings", "verdicts-rules-access", "verdicts-rules-attacks", "verdicts-rules-exploits",
	"verdicts-rules-files", "verdicts-rules-names", "verdicts-rules-places", "verdicts-rules-secrets", "verdicts-rules-system", "verdicts-scopes", "verdicts-switches",
	"verdicts-targets", "verdicts-xml", "verdicts-xml-joined",
}
