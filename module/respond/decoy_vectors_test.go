package respond

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"testing"
)

// decoyVectors is test data for the responders in Go and in Lua.
type decoyVectors struct {
	Secret, Client, Host string
	Decoys               []struct{ Path, Body string }
}

func TestDecoysAreThoseOfTheVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/decoys.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors decoyVectors
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	answer := New(resolved(t, `{"mode":"fake_success"}`), []byte(vectors.Secret), Host{})
	for _, c := range vectors.Decoys {
		w := httptest.NewRecorder()
		answer(w, httptest.NewRequest("GET", "http://"+vectors.Host+"/", nil), &Blocked{Path: c.Path, Client: vectors.Client})
		if got := w.Body.String(); got != c.Body {
			t.Errorf("%s: got %q, want %q", c.Path, got, c.Body)
		}
	}
}
