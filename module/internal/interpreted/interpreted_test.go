// Package interpreted checks the sources that Traefik interprets for constructs that its interpreter mistranslates.
package interpreted

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = "../.."

// notInterpreted lists the folders that Traefik does not load.
var notInterpreted = []string{"caddy", "cmd", "internal", "lua"}

// background is the only package with `go` statements.
const background = "background"

// compiledOnly marks code that never runs in Traefik. It is in a comment on the same or the previous line, with the
// reason.
const compiledOnly = "//guard:compiled "

// allHeaders allows a loop over the headers of a message. It is in a comment on the same line, with the reason.
const allHeaders = "//guard:all-headers "

// refusals returns the refused constructs of a file, with their lines.
func refusals(t *testing.T, name string, source any) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[int]bool{}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			line := files.Position(comment.Pos()).Line
			if strings.HasPrefix(comment.Text, compiledOnly) {
				allowed[line], allowed[line+1] = true, true
			}
			if strings.HasPrefix(comment.Text, allHeaders) {
				allowed[line] = true
			}
		}
	}
	var found []string
	declared := declaredFunctions(file)
	ast.Inspect(file, func(node ast.Node) bool {
		if node == nil {
			return false
		}
		at := files.Position(node.Pos())
		why := refusal(node, file.Name.Name == background)
		if why == "" {
			why = refusalOfReturn(node, declared)
		}
		if why != "" && !allowed[at.Line] {
			found = append(found, at.String()+": "+why)
		}
		return true
	})
	return found
}

func TestNoSourceHasWhatTheInterpreterMistranslates(t *testing.T) {
	read := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && slices.Contains(notInterpreted, entry.Name()) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			read++
			for _, found := range refusals(t, path, nil) {
				t.Error(found)
			}
		}
		return err
	})
	if err != nil || read < 50 {
		t.Errorf("read %d files, %v", read, err)
	}
}

func TestWhatTheInterpreterMistranslatesIsRefused(t *testing.T) {
	for source, want := range map[string]int{
		`go f()`:                                         1,
		`go func() {}()`:                                 1,
		`time.AfterFunc(d, f)`:                           1,
		`context.AfterFunc(ctx, func() {})`:              1,
		`context.AfterFunc(ctx, cancel)`:                 0,
		`runtime.SetFinalizer(a, f)`:                     1,
		`a.b, a.c = d, f()`:                              1,
		`b, c = f(), d`:                                  1,
		`b, c := []string{}, d`:                          1,
		`b, c = <-d, e`:                                  1,
		`b, c := f(), d`:                                 0,
		`b, c = f()`:                                     0,
		`a.b, c = nil, false`:                            1,
		`b[i], b[j] = b[j], b[i]`:                        0,
		`_ = http.Transport{DialContext: f}`:             1,
		`return b, len(c)`:                               1,
		`return b, make([]int, 2)`:                       1,
		`return len(b), c`:                               0,
		`return b, d(len(c))`:                            0,
		`go f() //guard:compiled Traefik gives none.`:    0,
		`for name := range r.Header { a(name) }`:         1,
		`for name, values := range header { a(name) }`:   1,
		`for _, value := range header["A"] { a(value) }`: 0,
		"for name := range header { //guard:all-headers They are few.\na(name) }": 0,
		"//guard:compiled Traefik gives none.\ntime.AfterFunc(d, f)":              0,
	} {
		if found := refusals(t, "a.go", "package a\nfunc a() {\n"+source+"\n}"); len(found) != want {
			t.Errorf("%s: got %q", source, found)
		}
	}
	for source, want := range map[string]int{
		"func (b *body) Read(p []byte) (int, error) { return 0, nil }": 1,
		"func (b *body) Close(int) {}":                                 1,
		"func (b *body) Close(_ int) {}":                               0,
		"var a = func(int) {}":                                         1,
		"var a func(int)":                                              0,
		"func b() {}\nfunc a() func() { return b }":                    1,
		"func b() {}\nfunc a() { b(); return }":                        0,
		"const a kind = 1 << iota":                                     1,
		"const (\na kind = iota + 1\nb\n)":                             1,
		"const a kind = -(1 + 1)":                                      1,
		"const a b.Kind = 1 << 2":                                      1,
		"const a = kind(1 << iota)":                                    0,
		"const a kind = iota":                                          0,
		"const a kind = kind(1 << 2)":                                  0,
		"const a uint8 = 1 << 2":                                       0,
		"var a kind = 1 << 2":                                          0,
	} {
		if found := refusals(t, "a.go", "package a\n"+source); len(found) != want {
			t.Errorf("%s: got %q", source, found)
		}
	}
}
