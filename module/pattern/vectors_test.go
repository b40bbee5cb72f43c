package pattern

import (
	"errors"
	"regexp"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
)

func TestVectors(t *testing.T) {
	type test struct {
		vectors.Named
		Pattern string `json:"pattern"`
		OK      bool   `json:"ok"`
		Offset  int    `json:"offset"`
	}
	for _, group := range vectors.Read[test](t, "regex", "regex-accepted", "regex-refused") {
		for _, test := range group.Tests {
			t.Run(test.ID, func(t *testing.T) {
				err := Check(test.Pattern)
				var refusal *Error
				if isRefused := errors.As(err, &refusal); isRefused == test.OK {
					t.Fatalf("%s: %v", test.Description, err)
				}
				if !test.OK {
					if refusal.Offset != test.Offset {
						t.Errorf("%s: %v, want offset %d", test.Description, err, test.Offset)
					}
					return
				}
				if _, err := regexp.Compile(test.Pattern); err != nil {
					t.Errorf("%s: Go refuses what the grammar accepts: %v", test.Description, err)
				}
			})
		}
	}
}
