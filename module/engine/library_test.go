package engine

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/limits"
)

// steps have one form with loops and one with calls of the library.
var steps = map[string]struct {
	bytes func(w *workspace, s []byte) []byte
	text  func(s string) string
}{
	"decode":     {(*workspace).decode, decodeText},
	"slashes":    {(*workspace).slashes, func(s string) string { return strings.ReplaceAll(s, `\`, "/") }},
	"collapse":   {(*workspace).collapse, collapseText},
	"dots":       {(*workspace).dots, dotsText},
	"parameters": {(*workspace).withoutParameters, withoutParametersText},
	"windows":    {(*workspace).windowsNames, windowsText},
	"controls":   {(*workspace).withoutControls, textControls.Replace},
	"cut":        {func(_ *workspace, s []byte) []byte { return cut(s) }, cutText},
	"escape":     {(*workspace).escape, textEscapes},
	"fold": {func(w *workspace, s []byte) []byte {
		if f := w.fold(s); isPlausibleFold(f) {
			return f
		}
		return s
	}, foldText},
	"fold alone": {(*workspace).fold, textFolds.Replace},
}

// stepPieces are texts that some step acts on.
var stepPieces = strings.Split("/ / / . . .. \\ ; : $ :$ ::$ ? # % %2 %2e %2F %5c %u %u002f %U002E %uD800 %ud7ff %25 a b x A u 0 9 \" "+
	"\x01 \x02 \t \n \v \f %0a %0B %u000a %U000B %250a \xc0\x8a \x7f \x00 \xc0 \xc1 \xae \xaf \x80 \x81 \xe0 \xf0 \xf8 \xfc \xbf \xff \xef\xbc\x8e \xe2\x88\x95 \xe2\x80\xa5 \xe2\x80\xa6 \xef \xe2 \xdc \x1c n o", " ")

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for n := r.Intn(12); n > 0; n-- {
		if r.Intn(12) == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(stepPieces[r.Intn(len(stepPieces))])
	}
	return b.String()
}

// inLongParts lengthens parts of a text: some steps act on long ones in another way.
func inLongParts(text string) string {
	return strings.ReplaceAll(text, "b", strings.Repeat("b", 2*longPart))
}

func checkSteps(t *testing.T, text string) {
	t.Helper()
	for name, step := range steps {
		if want, got := asLine.Replace(string(step.bytes(&workspace{}, []byte(text)))), step.text(asLine.Replace(text)); got != want {
			t.Fatalf("%s of %q is %q, want %q", name, text, got, want)
		}
	}
	if isPlain([]byte(text)) != isPlainText(text) {
		t.Fatalf("%q: plain is %t", text, isPlainText(text))
	}
	checkReadings(t, text)
}

func checkReadings(t *testing.T, text string) {
	t.Helper()
	var want, got view
	want.read(&workspace{}, []byte(text), limits.PathBytes)
	got.readText(&workspace{}, text, limits.PathBytes)
	if got.limit != want.limit || got.size != want.size || len(got.candidates) != len(want.candidates) {
		t.Fatalf("%.200q: got %q %s, want %q %s", text, got.candidates, got.limit, want.candidates, want.limit)
	}
	for i := range want.candidates {
		if string(got.candidates[i]) != string(want.candidates[i]) {
			t.Fatalf("%.200q: candidate %d is %q, want %q", text, i, got.candidates[i], want.candidates[i])
		}
	}
}

func TestLibraryStepsEqualLoops(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 150_000 {
		text := randomText(random)
		checkSteps(t, text)
		if random.Intn(4) == 0 {
			checkSteps(t, inLongParts(text))
		}
	}
}

// TestLibraryStepsActOnEachLine compares each step of several lines with that step of each line.
func TestLibraryStepsActOnEachLine(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	for range 50_000 {
		lines := make([]string, 1+random.Intn(4))
		for i := range lines {
			lines[i] = asLine.Replace(randomText(random))
		}
		if random.Intn(4) == 0 {
			for i, line := range lines {
				lines[i] = inLongParts(line)
			}
		}
		for name, step := range steps {
			want := make([]string, len(lines))
			for i, line := range lines {
				want[i] = step.text(line)
			}
			if got, want := step.text(strings.Join(lines, "\n")), strings.Join(want, "\n"); got != want {
				t.Fatalf("%s of %q is %q, want %q", name, lines, got, want)
			}
		}
	}
}

// TestLibraryFoldsWhatLoopsFold covers all sequences of two and three bytes.
func TestLibraryFoldsWhatLoopsFold(t *testing.T) {
	for lead := 0; lead < 1<<8; lead++ {
		for rest := 0; rest < 1<<16; rest++ {
			s := []byte{byte(lead), byte(rest >> 8), byte(rest)}
			if want, got := asLine.Replace(string((&workspace{}).fold(s))), textFolds.Replace(asLine.Replace(string(s))); got != want {
				t.Fatalf("%q is folded to %q, want %q", s, got, want)
			}
			if lead < 0xC0 {
				rest += 0xFF
			}
		}
	}
}

func TestLibraryReadsCandidateVectors(t *testing.T) {
	type test struct {
		vectors.Named
		Input       *string `json:"input"`
		InputBase64 string  `json:"inputBase64"`
	}
	for _, group := range vectors.Read[test](t, "candidates", candidateFiles...) {
		for _, test := range group.Tests {
			checkReadings(t, string(vectors.Bytes(t, test.Input, test.InputBase64)))
		}
	}
}

func TestLibraryReadsLongTexts(t *testing.T) {
	for _, unit := range []string{`%5c/;.%2e`, "/./", "//..", `\\..;x`, "%25252e", "%u0041%c0%ae", "a:$/", " ./", "\x00/.", "%2f.\x01", "/a/..;/b. "} {
		checkReadings(t, "/"+strings.Repeat(unit, 3000/len(unit)))
		checkReadings(t, strings.Repeat(unit, 3000/len(unit)))
	}
}

func FuzzLibrary(f *testing.F) {
	for _, piece := range stepPieces {
		f.Add(piece)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkSteps(t, text)
		checkJSON(t, text)
	})
}
