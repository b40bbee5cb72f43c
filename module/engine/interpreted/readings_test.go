package interpreted

import (
	"maps"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/policy"
)

// rulesOf returns the rule set of a policy file.
func rulesOf(t testing.TB, compile func(p *policy.Policy) (*engine.RuleSet, error), file string) *engine.RuleSet {
	t.Helper()
	p, problems := policy.Load([]byte(file))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rules, err := compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// readers trace how a value is read, with the loops of package engine and with the steps of this package.
type readers struct{ loops, steps *engine.RuleSet }

func newReaders(t testing.TB) *readers {
	const file = `{"methods": ["*"], "check_body": true}`
	return &readers{rulesOf(t, engine.Compile, file), rulesOf(t, Compile, file)}
}

// check compares the traces of a body in which a text is a value, verbatim.
func (r *readers) check(t *testing.T, text string) {
	t.Helper()
	q := &engine.Request{
		Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {"multipart/form-data; boundary=b"}},
		Body: []byte("--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n" + text + "\r\n--b--"),
	}
	want, got := r.loops.Trace(q), r.steps.Trace(q)
	want.Verdict.Place, got.Verdict.Place = 0, 0 // a table and an expression may find different matches
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%.200q: got %+v, want %+v", text, got, want)
	}
	verdict := r.steps.Evaluate(q)
	if verdict.Place = 0; verdict != want.Verdict {
		t.Fatalf("%.200q: got %+v, want %+v", text, verdict, want.Verdict)
	}
}

// pieces are texts that some step acts on.
var pieces = strings.Split("/ / / . . .. \\ ; : $ :$ ::$ ? # % %2 %2e %2F %5c %u %u002f %U002E %uD800 %ud7ff %25 a b x A u 0 9 \" "+
	"\x01 \x02 \t \n \v \f %0a %0B %u000a %U000B %250a \xc0\x8a \x7f \x00 \xc0 \xc1 \xae \xaf \x80 \x81 \xe0 \xf0 \xf8 \xfc \xbf \xff \xef\xbc\x8e \xe2\x88\x95 \xe2\x80\xa5 \xe2\x80\xa6 \xef \xe2 \xdc \x1c n o "+
	"L2V0Yy9wYXNzd2Q .env etc/passwd .git", " ")

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for n := r.Intn(12); n > 0; n-- {
		if r.Intn(12) == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(pieces[r.Intn(len(pieces))])
	}
	return b.String()
}

func TestStepsReadWhatLoopsRead(t *testing.T) {
	random, r := rand.New(rand.NewSource(1)), newReaders(t)
	for range 15_000 {
		r.check(t, randomText(random))
	}
}

func TestStepsReadCandidateVectors(t *testing.T) {
	type test struct {
		vectors.Named
		Input       *string `json:"input"`
		InputBase64 string  `json:"inputBase64"`
	}
	r := newReaders(t)
	for _, group := range vectors.Read[test](t, "candidates", vectors.CandidateFiles...) {
		for _, test := range group.Tests {
			r.check(t, string(vectors.Bytes(t, test.Input, test.InputBase64)))
		}
	}
}

func TestStepsReadLongTexts(t *testing.T) {
	r := newReaders(t)
	for _, unit := range []string{`%5c/;.%2e`, "/./", "//..", `\\..;x`, "%25252e", "%u0041%c0%ae", "a:$/", " ./", "\x00/.", "%2f.\x01", "/a/..;/b. "} {
		r.check(t, "/"+strings.Repeat(unit, 3000/len(unit)))
		r.check(t, strings.Repeat(unit, 3000/len(unit)))
	}
}

// TestStepsFoldWhatTheEngineFolds covers all sequences of two and three bytes.
func TestStepsFoldWhatTheEngineFolds(t *testing.T) {
	for lead := 0xC0; lead < 1<<8; lead++ {
		for rest := 0; rest < 1<<16; rest++ {
			s := []byte{byte(lead), byte(rest >> 8), byte(rest)}
			text, width := engine.FoldSequence(s)
			if width == 0 {
				continue
			}
			want := lineEndEscaper.Replace(text) + lineEndEscaper.Replace(string(s[width:]))
			if got := foldedBytes.Replace(lineEndEscaper.Replace(string(s))); width == 3 && got != want || !strings.HasPrefix(got, lineEndEscaper.Replace(text)) {
				t.Fatalf("%q is folded to %q, want %q", s, got, want)
			}
		}
	}
}

// TestSeveralValuesHaveTheReadingsOfEach reads several values together, and must find exactly the candidates of each value.
func TestSeveralValuesHaveTheReadingsOfEach(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	for range 6_000 {
		values := make([]string, 1+random.Intn(5))
		for i := range values {
			for values[i] == "" {
				values[i] = randomText(random)
			}
		}
		s := &scan{}
		s.readAll(values)
		for i, value := range values {
			want := map[string]bool{}
			candidates, limit := read(value, false)
			for _, candidate := range candidates {
				want[candidate] = true
			}
			if !maps.Equal(s.candidates[i], want) {
				t.Fatalf("%q among %q: got %v, want %v", value, values, s.candidates[i], want)
			}
			if s.limits[i] != limit {
				t.Fatalf("%q among %q: got limit %q, want %q", value, values, s.limits[i], limit)
			}
		}
	}
}

func FuzzSteps(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece)
	}
	r := newReaders(f)
	f.Fuzz(func(t *testing.T, text string) { r.check(t, text) })
}

func TestLinesAreEscaped(t *testing.T) {
	escape := stepsOf(&policy.Policy{}, nil, nil).Escape
	for c := range 256 {
		line := "a" + string([]byte{byte(c)}) + "b"
		want := line
		if isUnprintable(byte(c)) {
			want = "a" + percentForm(byte(c)) + "b"
		}
		if got := escape(line); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}
