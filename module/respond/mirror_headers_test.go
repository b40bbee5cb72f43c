package respond

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAMirroredRequestKeepsItsOtherParts(t *testing.T) {
	var got *http.Request
	var body string
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
	}, "")
	client.send("PUT /a/%2e%2E/.env?x=%zz&y HTTP/1.1\r\nHost: example.com\r\nUser-Agent: scanner\r\nX-Own: 1\r\nX-Own: 2\r\n" +
		"Cookie: session=1\r\nAuthorization: Basic eDp5\r\nX-Api-Key: a\r\nX_Api_Key: b\r\nX-CSRF-token: c\r\nX-Amz-Security-Token: d\r\nProxy-Authorization: Basic eDp5\r\nX-Forwarded-For: 1.2.3.4\r\n" +
		"X-Forwarded-Prefix: /x\r\nForwarded: for=1.2.3.4\r\nX-Guard-Reason: mine\r\nConnection: X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\n" +
		"Upgrade: websocket\r\nContent-Length: 5\r\n\r\nhello")
	all(t, client.opening("PUT").Body)
	want := http.Header{
		"User-Agent": {"scanner"}, "X-Own": {"1", "2"}, "Content-Length": {"5"}, "X-Forwarded-For": {clientAddress},
		"X-Forwarded-Host": {"example.com"}, "X-Forwarded-Proto": {"http"}, "X-Guard-Reason": {"block_pattern_match"}, "X-Guard-Proxied": {"1"},
	}
	if fmt.Sprint(got.Header) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got.Header, want)
	}
	if got.Method != "PUT" || got.RequestURI != "/a/%2e%2E/.env?x=%zz&y" || body != "hello" || !strings.HasPrefix(got.Host, "127.0.0.1:") {
		t.Errorf("got %s %s %q for %s", got.Method, got.RequestURI, body, got.Host)
	}
}

func TestAMirroredResponseLosesHeadersWithLastingEffect(t *testing.T) {
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for _, row := range mirrorAnswerStripped {
			for _, name := range examples(row) {
				h[name] = []string{"x", "y"}
			}
		}
		h.Set("Keep-Alive", "x")
		h.Set("Cache-Control", "public")
		h.Set("Server", "pot")
		h.Set("Content-Type", "text/x-pot")
		h.Set("X-Guard", "theirs")
		w.WriteHeader(418)
		_, _ = io.WriteString(w, "tea")
	}, `,"headers":{"X-Guard":"ours"}`)
	for range 2 {
		status, header, body := client.request("GET", "/.env")
		want := http.Header{"Cache-Control": {"no-store"}, "Server": {"pot"}, "Content-Type": {"text/x-pot"}, "X-Guard": {"ours"}, "Content-Length": {"3"},
			"Content-Security-Policy": {"sandbox"}}
		if status != 418 || body != "tea" || fmt.Sprint(header) != fmt.Sprint(want) {
			t.Errorf("got %d %v %q", status, header, body)
		}
	}
	if res := client.begin("HEAD", "/.env"); res.StatusCode != 418 || res.ContentLength != 3 {
		t.Errorf("HEAD: got %s, %d", res.Status, res.ContentLength)
	}
}

// Interim responses (RFC 9110 15.2) are not forwarded, because they cannot be edited.
func TestInterimResponsesAreNotMirrored(t *testing.T) {
	honeypot := speaker(t, "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=b\r\nAlt-Svc: h3\r\nX-Accel-Redirect: /internal\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	client := mirroredTo(t, "http://"+honeypot, "")
	client.send("GET /.env HTTP/1.1\r\nHost: example.com\r\n\r\n")
	res := client.opening("GET")
	if body := all(t, res.Body); res.StatusCode != 200 || string(body) != "ok" || res.Header.Get("Set-Cookie") != "" {
		t.Errorf("got %d %v %s", res.StatusCode, res.Header, body)
	}
}

// A handler before the guard may have set headers.
func TestAMirroredResponseReplacesHeadersThatWereSet(t *testing.T) {
	honeypot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	t.Cleanup(honeypot.Close)
	answer, _ := heldSite(t, fmt.Sprintf(`{"mode":"proxy","proxy_url":%q,"headers":{"X-Guard":"ours"}}`, honeypot.URL))
	client := connect(t, func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		w.Header().Set("X-Guard", "theirs")
		answer(w, r, b)
	})
	_, header, _ := client.request("GET", "/.env")
	if got := fmt.Sprint(header["Cache-Control"], header["X-Guard"]); got != "[no-store] [ours]" {
		t.Errorf("got %s", got)
	}
}

func TestTrailersAreNotMirrored(t *testing.T) {
	var announced http.Header
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		announced = r.Trailer
		w.Header().Set("Trailer", "Set-Cookie, X-Accel-Redirect")
		_, _ = io.WriteString(w, "ok")
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("X-Accel-Redirect", "/internal")
		w.Header().Set(http.TrailerPrefix+"Alt-Svc", "h3")
	}, "")
	client.send("POST /.env HTTP/1.1\r\nHost: a\r\nTrailer: X-Own\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Own: 1\r\n\r\n")
	res := client.opening("POST")
	if body := all(t, res.Body); string(body) != "ok" || len(res.Trailer) > 0 || len(announced) > 0 {
		t.Errorf("got %q with %v; the target got %v", body, res.Trailer, announced)
	}
}

// examples returns names that a row of mirrorRequestStripped or mirrorAnswerStripped strips.
func examples(row string) []string {
	name := strings.Trim(row, "*")
	list := []string{name, http.CanonicalHeaderKey(name), strings.ToUpper(name), strings.ReplaceAll(name, "-", "_")}
	if strings.HasSuffix(row, "*") {
		list = append(list, name+"x-other")
	}
	if strings.HasPrefix(row, "*") {
		list = append(list, "x-"+name, "X_"+name+"_Y")
	}
	return list
}

func strips(rows *strings.Replacer, name string) bool {
	h := http.Header{"A": {"x"}, name: {"x", "y"}, "Z": {"x"}}
	strip(h, rows)
	return len(h) == 2 && len(h["A"]) == 1 && len(h["Z"]) == 1
}

func TestEachRowOfTheMirrorTablesStripsItsNames(t *testing.T) {
	for stripped, rows := range map[*strings.Replacer][]string{strippedFromRequest: mirrorRequestStripped, strippedFromAnswer: mirrorAnswerStripped} {
		for _, row := range append(rows, mirrorHopByHop...) {
			if row != strings.ToLower(row) {
				t.Errorf("%q is not in lower case", row)
			}
			for _, name := range examples(row) {
				if !strips(stripped, name) {
					t.Errorf("%q keeps %q", row, name)
				}
			}
		}
	}
}

// Headers with false are kept. Honeypots need those that normal clients send; the names of the others only resemble stripped names.
func TestCredentialsAreTakenOutOfAMirroredRequest(t *testing.T) {
	for name, isStripped := range map[string]bool{
		"X-Api-Key": true, "Api_Key": true, "Apikey": true, "X-Csrf-Token": true, "X-Csrftoken": true, "X-Amz-Security-Token": true,
		"Private-Token": true, "X-Vault-Token": true, "Requestverificationtoken": true, "Jenkins-Crumb": true, "X-Wp-Nonce": true,
		"Cf-Access-Client-Secret": true, "X-Goog-Iap-Jwt-Assertion": true, "X-Ms-Client-Principal": true, "Ocp-Apim-Subscription-Key": true,
		"X-Hub-Signature-256": true, "Stripe-Signature": true, "Cookie2": true, "X-Auth-Email": true, "Oidc_access_token": true, "Remote-User": true,
		"User-Agent": false, "Accept": false, "Accept-Language": false, "Content-Type": false, "Content-Length": false, "Referer": false,
		"Origin": false, "X-Original-Url": false, "X-Requested-With": false, "If-None-Match": false, "Range": false, "Sec-Fetch-Site": false,
		"Monkey": false, "X-Broken": false, "X-Notes": false,
	} {
		if strips(strippedFromRequest, name) != isStripped {
			t.Errorf("%s: want %t", name, isStripped)
		}
	}
}
