package engine

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine/match"
)

// jsonPieces are texts that the reader of JSON strings acts on.
var jsonPieces = strings.Split("\" \" \\ \\\\ \\\" \\/ \\n \\b \\u \\u002f \\uD83D \\ude00 \\uDBFF\\uDFFF \\u12 \\ud7FF \\uE000 \\q u a : , \n \x00 \x00u0041 \xff \xc3\xa9", " ")

func checkJSON(t *testing.T, text string) {
	t.Helper()
	var want []string
	eachJSONString([]byte(text), func(value []byte) bool {
		if len(value) > 0 {
			want = append(want, string(value))
		}
		return true
	})
	if got := jsonTexts(text); !slices.Equal(got, want) {
		t.Fatalf("strings of %q are %q, want %q", text, got, want)
	}
	lines := splitLines(jsonLines(text))
	for _, value := range want {
		if !slices.Contains(lines, asLine.Replace(value)) {
			t.Fatalf("lines of %q are %q, without %q", text, lines, value)
		}
	}
	if got, want := isJSONText(text), isJSON([]byte(text)); got != want {
		t.Fatalf("%q is JSON: %v, want %v", text, got, want)
	}
}

func checkForm(t *testing.T, text string) {
	t.Helper()
	var want []string
	eachFormValue([]byte(text), func(value []byte) bool {
		if len(value) > 0 {
			want = append(want, string(value))
		}
		return true
	})
	if got := formTexts(text); !slices.Equal(got, want) {
		t.Fatalf("values of %q are %q, want %q", text, got, want)
	}
	var inner []string
	eachInnerString(text, func(value []byte) bool {
		if len(value) > 0 {
			inner = append(inner, string(value))
		}
		return true
	})
	if got := innerStrings(text); !slices.Equal(got, inner) {
		t.Fatalf("strings in values of %q are %q, want %q", text, got, inner)
	}
	lines := strings.Split(innerLines(formLines(text)), match.LineEnd)
	for _, value := range inner {
		if !slices.Contains(lines, asLine.Replace(value)) {
			t.Fatalf("strings in values of %q are the lines %q, want %q", text, lines, value)
		}
	}
}

func checkWords(t *testing.T, values []string) {
	t.Helper()
	b := &bodyInspection{evaluation: &evaluation{rules: &RuleSet{}}}
	want := 0
	for _, value := range values {
		isWord := b.isWord([]byte(value))
		if isWordText(value) != isWord {
			t.Fatalf("%q is a word: %v, want %v", value, !isWord, isWord)
		}
		if !isWord {
			want++
		}
	}
	if got := notWords(strings.Join(values, "\n")); got != want {
		t.Fatalf("%q has %d values that are not words, want %d", values, got, want)
	}
}

func TestLibraryReadsFormsAndWords(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	pieces := strings.Split("a & = ; . / ? _ \n \v \x00 \xe9 Z9 - { [ + \" \" %22 %7b %5B %20 %0a %0B %5c %u0022 %U000a \\ \\u000a", " ")
	for range 200_000 {
		var b strings.Builder
		for n := random.Intn(12); n > 0; n-- {
			b.WriteString(pieces[random.Intn(len(pieces))])
		}
		checkForm(t, b.String())
		words := strings.FieldsFunc(b.String(), func(c rune) bool { return c == '&' || c == '\n' })
		if len(words) > 0 {
			checkWords(t, append(words, "a b", "a "))
		}
	}
}

func TestLibraryReadsJSONStrings(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 200_000 {
		var b strings.Builder
		for n := random.Intn(12); n > 0; n-- {
			b.WriteString(jsonPieces[random.Intn(len(jsonPieces))])
		}
		checkJSON(t, b.String())
	}
}
