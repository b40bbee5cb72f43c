package engine

import (
	"slices"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
)

func TestCandidateVectors(t *testing.T) {
	type test struct {
		vectors.Named
		Input       *string  `json:"input"`
		InputBase64 string   `json:"inputBase64"`
		Candidates  []string `json:"candidates"`
		Limit       string   `json:"limit"`
	}
	rules := compiled(t, `{}`)
	for _, group := range vectors.Read[test](t, "candidates", vectors.CandidateFiles...) {
		for _, test := range group.Tests {
			t.Run(test.ID, func(t *testing.T) {
				got, limit := rules.pathCandidates(string(vectors.Bytes(t, test.Input, test.InputBase64)))
				if !slices.Equal(got, test.Candidates) || limit != test.Limit {
					t.Errorf("%s: got %q %q, want %q %q", test.Description, got, limit, test.Candidates, test.Limit)
				}
			})
		}
	}
}
