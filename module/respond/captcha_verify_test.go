package respond

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

func TestAProviderThatFailsGivesNoPass(t *testing.T) {
	for name, instead := range map[string]http.HandlerFunc{
		"status 500":            text(500, `{"success":true}`),
		"garbage":               text(200, `<html>`),
		"nothing":               text(200, ``),
		"success as text":       text(200, `{"success":"true"}`),
		"two documents":         text(200, `{"success":true}{"success":true}`),
		"huge":                  text(200, `{"success":true,"x":"`+strings.Repeat("x", limits.CaptchaAnswerBytes)+`"}`),
		"redirect":              redirectToSuccess,
		"closed connection":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"the key is not its":    text(200, `{"success":false,"error-codes":["invalid-input-secret"]}`),
		"slower than the bound": hang,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, "")
			g.provider.instead = instead
			if name == "slower than the bound" {
				g.verifier.client = &http.Client{Timeout: time.Millisecond}
			}
			state := g.state(g.stopped("/.env", "env-file"))
			g.refused("first", g.post(form(state, solved)), "env-file", "/.env")
			g.refused("second", g.post(form(state, solved)), "env-file", "/.env")
			if len(g.reports) != 1 || strings.Contains(g.reports[0], providerKey) {
				t.Errorf("reports: %q", g.reports)
			}
		})
	}
}

func TestAProviderThatIsDownIsReportedAgainAfterItAnswered(t *testing.T) {
	g := newGate(t, "")
	state := g.state(g.stopped("/.env", "env-file"))
	for _, instead := range []http.HandlerFunc{text(500, ""), nil, text(502, "")} {
		g.provider.instead = instead
		g.post(form(state, solved))
	}
	if len(g.reports) != 2 || !strings.Contains(g.reports[0], "500") || !strings.Contains(g.reports[1], "502") {
		t.Errorf("reports: %q", g.reports)
	}
}

// Checks the real time limit, and that the request to the provider ends when the proxy stops.
func TestVerificationIsBounded(t *testing.T) {
	if providerClient.Timeout != limits.CaptchaVerifySeconds*time.Second {
		t.Errorf("got %v", providerClient.Timeout)
	}
	g := newGate(t, "")
	stopping, stop := context.WithCancel(context.Background())
	g.o.host.Stopping = stopping
	g.provider.instead = func(w http.ResponseWriter, r *http.Request) { stop(); hang(w, r) }
	g.verifier.client = &http.Client{} // without a timeout
	g.refused("the proxy stops", g.post(form(g.state(g.stopped("/.env", "env-file")), solved)), "env-file", "/.env")
}

func TestVerificationsAreHeld(t *testing.T) {
	g := newGate(t, `,"max_held":1`)
	state := g.state(g.stopped("/.env", "env-file"))
	arrived, proceed, first := make(chan bool), make(chan bool), make(chan int)
	g.provider.instead = func(w http.ResponseWriter, _ *http.Request) {
		arrived <- true
		<-proceed
		_, _ = w.Write([]byte(`{"success":true}`))
	}
	go func() { first <- g.post(form(state, solved)).Code }()
	<-arrived
	if HeldByMode()["captcha"] != 1 {
		t.Errorf("held: %v", HeldByMode())
	}
	if second := g.post(form(state, solved)); second.Code != 429 || second.Header().Get("Retry-After") != "60" {
		t.Errorf("beyond the ceiling: %d %s", second.Code, second.Body)
	}
	close(proceed)
	if code := <-first; code != 303 || HeldByMode()["captcha"] != 0 {
		t.Errorf("got %d, held: %v", code, HeldByMode())
	}
}
