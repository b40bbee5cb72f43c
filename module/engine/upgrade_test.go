package engine

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/policy"
)

type upgradeTest struct {
	vectors.Named
	Headers []vectorHeader
	Refused json.RawMessage
	Kept    map[string][]json.RawMessage
}

// textOf returns a value that is text, or an object with base64.
func textOf(t *testing.T, value json.RawMessage) string {
	t.Helper()
	if value == nil {
		return ""
	}
	var h vectorHeader
	if err := h.UnmarshalJSON([]byte(`["",` + string(value) + `]`)); err != nil {
		t.Fatal(err)
	}
	return h.value
}

func TestUpgradeVectors(t *testing.T) {
	for _, group := range vectors.Read[upgradeTest](t, "upgrades", "upgrades-headers") {
		rules, err := Compile(&policy.Policy{AllowUpgrades: group.AllowUpgrades})
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range group.Tests {
			t.Run(test.ID, func(t *testing.T) {
				h, want := http.Header{}, http.Header{}
				for _, header := range test.Headers {
					h.Add(header.name, header.value)
				}
				for name, values := range test.Kept {
					for _, value := range values {
						want.Add(name, textOf(t, value))
					}
				}
				refused := rules.RefusedUpgrade(h)
				if refused != "" {
					rules.RemoveUpgrades(h)
				}
				if wanted := textOf(t, test.Refused); refused != wanted || !reflect.DeepEqual(h, want) {
					t.Errorf("got %q and %q, want %q and %q", refused, h, wanted, want)
				}
			})
		}
	}
}

// A client chooses the lines. The bounds keep the work for them small.
func TestLongLinesAreNotSplit(t *testing.T) {
	rules, err := Compile(&policy.Policy{AllowUpgrades: []string{"websocket"}})
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"Upgrade": {strings.Repeat(",", 1<<20)}, "Connection": {strings.Repeat("a,", 1<<20)}}
	if refused := rules.RefusedUpgrade(h); len(refused) != 256 {
		t.Errorf("got %d bytes", len(refused))
	}
	if rules.RemoveUpgrades(h); len(h) != 0 {
		t.Errorf("%d headers are left", len(h))
	}
}
