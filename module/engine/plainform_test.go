package engine

import (
	"net/http"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

func field(name, content string) string {
	return "--b" + fieldStart + name + "\"\r\n\r\n" + content + "\r\n"
}

// partTexts are the texts that the inspection of each part finds, and how many count.
func partTexts(body string) (texts []string, counted int) {
	e := &evaluation{rules: &RuleSet{}, request: &Request{Header: http.Header{}}}
	c := &bodyInspection{evaluation: e, collects: true}
	c.inspectParts([]byte(body), "b")
	return c.texts, c.counted
}

func withoutEmpty(lines string) string {
	var texts []string
	for _, line := range strings.Split(lines, match.LineEnd) {
		if line != "" {
			texts = append(texts, line)
		}
	}
	return strings.Join(texts, match.LineEnd)
}

func TestPlainFormLinesAreTheTextsOfItsParts(t *testing.T) {
	for _, form := range []string{
		field("a", "b"),
		field("a[0]", "") + field("b.c-d", " x\ny\v\r\n") + field("1", "-b\r\n-b -- b\r\n"),
		field("a", `--a; name="c"`+"\r\n\r\n") + field("b", "\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n"),
		field("a", strings.Repeat("x", limits.MultipartContentBytes-len("\r\n"))), // without an end, CRLF is a part of it
	} {
		for _, end := range []string{"--b--", "--b--\r\n", "--b", ""} {
			body := form + end
			lines, counted, isPlain := plainFormLines([]byte(body), "b")
			texts, least := partTexts(body)
			want := asLine.Replace(strings.Join(texts, "\x00"))
			if want = strings.ReplaceAll(want, "\x00", match.LineEnd); !isPlain || withoutEmpty(lines) != want || counted < least {
				t.Errorf("%.99q: %v %.99q, %d; want %.99q, at least %d", body, isPlain, lines, counted, want, least)
			}
		}
	}
}

func TestPlainFormLinesLeaveOtherForms(t *testing.T) {
	for _, form := range []string{
		"x\r\n" + field("a", "b"),
		field("a", "x--b"),
		field("a", "x") + "--b\r\n\r\ny\r\n",
		field("a", "x") + "--b" + fieldStart + "f\"; filename=\"g\"\r\n\r\ny\r\n",
		field("a", "x") + "--b" + fieldStart + "f\"\r\nContent-Type: text/plain\r\n\r\ny\r\n",
		field("a", "\x00"),
		field("a", "\x00x\x00") + "--b\r\nX: y\r\n\r\nz\r\n",
		field("_charset_", "utf-16"),
		field("a b", "x"),
		"--b" + fieldStart + "a\"\r\n",
		strings.ReplaceAll(field("a", "x"), "\r", ""),
		field("a", strings.Repeat("x", limits.MultipartContentBytes+1)),
		field("a", "x") + "\r\n" + field("a", "x"),
	} {
		lines, _, isPlain := plainFormLines([]byte(form+"--b--\r\n"), "b")
		if isPlain != strings.Contains(form, "x\r\n\r\n--b") {
			t.Errorf("%.99q: %v %.99q", form, isPlain, lines)
		}
	}
	for _, boundary := range []string{"-", anyBoundary} {
		body := strings.ReplaceAll(field("---", "x")+"--b--", "--b", "--"+boundary)
		if lines, _, isPlain := plainFormLines([]byte(body), boundary); isPlain {
			t.Errorf("boundary %q: %q", boundary, lines)
		}
	}
}
