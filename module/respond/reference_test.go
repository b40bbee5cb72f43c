package respond

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/request-guard/guard/policy"
)

const aReference = "7K3QF2M9TD"

func withReference(t *testing.T, method, response string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	build(t, response)(w, httptest.NewRequest(method, "/.env", nil), &Blocked{Reason: "block_pattern_match", Path: "/.env", Reference: aReference})
	return w
}

func TestPagesShowTheReference(t *testing.T) {
	for response, want := range map[string]string{
		`{"mode":"json"}`:      `{"error":{"code":"block_pattern_match","message":"the request was blocked","reference":"7K3QF2M9TD"}}` + "\n",
		`{"mode":"html"}`:      "<p>The request was blocked.</p>\n<p>Reference: <code>7K3QF2M9TD</code></p>\n</main>",
		`{"mode":"text"}`:      "403 Forbidden\nReference: 7K3QF2M9TD\n",
		`{"mode":"xml"}`:       "<message>the request was blocked</message><reference>7K3QF2M9TD</reference></error>\n",
		`{"mode":"ratelimit"}`: "429 Too Many Requests\nReference: 7K3QF2M9TD\n",
		`{"mode":"captcha","captcha":{"provider":"turnstile","site_key":"k"}}`: "<p>Reference: <code>7K3QF2M9TD</code></p>\n</main>",
		// A limit blocked the request, so the response is not a challenge.
		`{"mode":"captcha","captcha":{"provider":"turnstile","site_key":"k","secret_key":"s"}}`:  "403 Forbidden\nReference: 7K3QF2M9TD\n",
		`{"mode":"json","body":"[[reference]]","headers":{"x-guard-reference":"of the policy"}}`: "[[reference]]",
	} {
		get, head := withReference(t, "GET", response), withReference(t, "HEAD", response)
		if !strings.Contains(get.Body.String(), want) {
			t.Errorf("%s: got %q", response, get.Body)
		}
		for _, w := range []*httptest.ResponseRecorder{get, head} {
			if got := w.Header().Values("X-Guard-Reference"); len(got) != 1 || got[0] != aReference {
				t.Errorf("%s: got %q", response, got)
			}
		}
		if get.Header().Get("Content-Length") != head.Header().Get("Content-Length") || head.Body.Len() > 0 {
			t.Errorf("%s: HEAD got %q", response, head.Header())
		}
	}
}

// A redirect has no page that a person reads. In the other modes, a reference would reveal that the response is not genuine.
func TestOtherModesDoNotShowTheReference(t *testing.T) {
	keys := map[string]string{
		"proxy":           `,"proxy_url":"http://127.0.0.1:1"`,
		"tarpit":          `,"tarpit_delay_ms":10,"tarpit_max_duration_seconds":1`,
		"infinite_stream": `,"stream_size_mb":1`,
	}
	for _, mode := range policy.Modes {
		if mode.ShowsReference || mode.Name == "silent_drop" {
			continue
		}
		w := withReference(t, "HEAD", `{"mode":"`+mode.Name+`"`+keys[mode.Name]+`}`)
		if w.Header().Get("X-Guard-Reference") != "" {
			t.Errorf("%s: got %q", mode.Name, w.Header())
		}
	}
	// When all slots are in use, a mode that holds requests responds like mode text.
	w := httptest.NewRecorder()
	o := newOptions(resolved(t, `{"mode":"tarpit"}`), nil, Host{})
	statusResponder(o, 403)(w, httptest.NewRequest("GET", "/.env", nil), &Blocked{Reference: aReference})
	if w.Header().Get("X-Guard-Reference") != "" || w.Body.String() != "403 Forbidden\n" {
		t.Errorf("above the ceiling: got %q %q", w.Header(), w.Body)
	}
}
