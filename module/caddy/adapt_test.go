package guard

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"

	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

var update = flag.Bool("update", false, "write what is adapted now into the files of testdata/adapt")

const divider = "----------\n"

// Each file has a Caddyfile and, after the divider, the JSON that Caddy adapts it to, or the error.
func TestAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.caddytest")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddytest"), func(t *testing.T) { checkAdapted(t, file) })
	}
}

func checkAdapted(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	caddyfile, want, _ := strings.Cut(string(text), divider)
	got := adapted(caddyfile)
	if *update {
		if err := os.WriteFile(file, []byte(caddyfile+divider+got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func adapted(caddyfile string) string {
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return err.Error() + "\n"
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, config, "", "\t"); err != nil {
		return err.Error() + "\n"
	}
	return pretty.String() + "\n"
}
