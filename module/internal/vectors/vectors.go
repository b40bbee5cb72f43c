// Package vectors reads the shared conformance data for tests.
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

// Group is a list of cases, in verdict files under one policy, in captcha files under one secret.
type Group[T any] struct {
	Description string          `json:"description"`
	Policy      json.RawMessage `json:"policy"`
	Secret      string          `json:"secret"`
	Tests       []T             `json:"tests"`
}

// Named is what every case has.
type Named struct {
	ID          string `json:"id"`
	Description string `json:"description"`
}

// folder lies above the folder of the package under test, in which its tests run.
func folder(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	for err == nil && at != filepath.Dir(at) {
		vectors := filepath.Join(at, "contract/vectors")
		if _, missing := os.Stat(vectors); missing == nil {
			return vectors
		}
		at = filepath.Dir(at)
	}
	t.Fatal("no folder contract/vectors above the working directory")
	return ""
}

// Read returns the groups of every file whose name begins with the kind; names lists the files that must be there.
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
		if !strings.HasSuffix(name, "-mutants") { // those come and go with the list of mutants
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

// Bytes is the value of a key that is written as text or, when it is not ASCII, in base64.
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
