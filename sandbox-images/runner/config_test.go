package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type entry struct {
	name string
	kind byte
	text string
}

func pack(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	compressed := gzip.NewWriter(&buffer)
	archive := tar.NewWriter(compressed)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o600, Size: int64(len(e.text))}
		if e.kind == tar.TypeSymlink {
			header.Linkname, header.Size, e.text = e.text, 0, ""
		}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, e.text); err != nil {
			t.Fatal(err)
		}
	}
	archive.Close()
	compressed.Close()
	return buffer.Bytes()
}

func file(name, text string) entry { return entry{name, tar.TypeReg, text} }

const somePlan = `{"command":["/proxy"],"ready":"127.0.0.1:1"}`

func TestLoadFromEnvironment(t *testing.T) {
	dir := t.TempDir()
	encoded := base64.StdEncoding.EncodeToString(pack(t, file(planFile, somePlan), file("Caddyfile", ":80")))
	plan, err := load(encoded, bufio.NewReader(strings.NewReader("")), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "Caddyfile"))
	if plan.Command[0] != "/proxy" || string(text) != ":80" {
		t.Fatalf("got %+v and %q", plan, text)
	}
}

func TestLoadFromInputLeavesWhatFollowsUnread(t *testing.T) {
	stdin := bufio.NewReader(io.MultiReader(bytes.NewReader(pack(t, file(planFile, somePlan))), strings.NewReader("rest")))
	if _, err := load("", stdin, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(stdin); string(rest) != "rest" {
		t.Fatalf("behind the archive: %q", rest)
	}
}

func TestLoadRefuses(t *testing.T) {
	tooMany := make([]entry, 0, configFiles+1)
	for i := range configFiles + 1 {
		tooMany = append(tooMany, file(strings.Repeat("f", i+1), ""))
	}
	broken := pack(t, file(planFile, somePlan))
	broken[len(broken)-6] ^= 1 // in the checksum
	cases := map[string]struct {
		archive []byte
		want    string
	}{
		"nothing":             {nil, "no gzipped archive in GUARD_CONFIG_B64 or on standard input"},
		"no archive":          {[]byte("hello"), "no gzipped archive"},
		"a cut archive":       {broken[:len(broken)-20], "unexpected EOF"},
		"a bad checksum":      {broken, "checksum"},
		"no plan":             {pack(t, file("Caddyfile", "")), "the configuration has no runner.json"},
		"an unknown key":      {pack(t, file(planFile, `{"command":["x"],"shell":true}`)), `unknown field "shell"`},
		"nothing to do":       {pack(t, file(planFile, `{}`)), "needs either command or forward"},
		"a path":              {pack(t, file("../passwd", "x")), `"../passwd" is not a plain file name`},
		"a folder in a path":  {pack(t, file("a/b", "x")), `"a/b" is not a plain file name`},
		"a link":              {pack(t, entry{"link", tar.TypeSymlink, "/etc/passwd"}), "is not a plain file name"},
		"a file twice":        {pack(t, file("a", "1"), file("a", "2")), "file exists"},
		"too many files":      {pack(t, tooMany...), "more than 64 files"},
		"a decompressed bomb": {pack(t, file("big", strings.Repeat("0", configBytes))), "larger than 16777216 bytes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := load("", bufio.NewReader(bytes.NewReader(c.archive)), t.TempDir())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
		})
	}
}
