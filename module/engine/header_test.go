package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSpellingsAreAllThatServersRead(t *testing.T) {
	want := []string{"X-Original-Url", "X-Original_url", "X_original-Url", "X_original_url"}
	if got := spellingsOf("x-original-url"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for dashes, want := range map[int]int{0: 1, 1: 2, listedDashes: 1 << listedDashes, listedDashes + 1: 0} {
		if got := spellingsOf("x" + strings.Repeat("-y", dashes)); len(got) != want {
			t.Errorf("%d dashes: got %q", dashes, got)
		}
	}
}

func TestValuesOfAHeaderAreInOrderOfTheirSpellings(t *testing.T) {
	for name, keys := range map[string][3]string{
		"x-a-b":           {"X-A-B", "X-A_b", "X_a_b"},
		"x-a-b-c-d-e-f-g": {"X-A-B-C-D-E-F-G", "X-A-B-C-D-E-F_g", "X_a-B-C-D-E-F-G"},
	} {
		h := headersOf([]string{name})[0]
		header := map[string][]string{keys[2]: {"4"}, keys[1]: {"3"}, keys[0]: {"1", "2"}, "X-A": {"0"}, keys[0] + "-H": {"0"}}
		if got := h.valuesIn(header); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestAFloodOfHeadersIsNotSearched(t *testing.T) {
	header := map[string][]string{}
	for i := range searchedHeaders {
		header[fmt.Sprintf("X-%d", i)] = []string{"/"}
	}
	few := compiled(t, `{"check_headers": ["X-Original-URL"]}`)
	many := compiled(t, `{"check_headers": ["X-A-B-C-D-E-F"]}`)
	if few.InspectsAny(header) || many.InspectsAny(header) {
		t.Error("a header is inspected that no policy names")
	}
	header["X-Further"] = []string{"/"}
	if few.InspectsAny(header) {
		t.Error("look-ups find a header that no policy names")
	}
	if !many.InspectsAny(header) {
		t.Error("all headers are searched before there is a slot")
	}
	for key, name := range map[string]string{"X-Original-Url": "X-Original-URL", "X_original_url": "X-ORIGINAL-url", "X-A_b-C-D-E-F": "x_a_b-c-d-e-f"} {
		rules := compiled(t, fmt.Sprintf(`{"check_headers": [%q]}`, name))
		if !rules.InspectsAny(map[string][]string{key: {"/"}}) {
			t.Errorf("%s of %s is not found", key, name)
		}
		q := &Request{Method: "GET", Target: "/", Header: map[string][]string{key: {"/.env"}}}
		if v := rules.Evaluate(q); !v.Blocked || v.Rule != "env-file" {
			t.Errorf("%s of %s: got %+v", key, name, v)
		}
	}
}
