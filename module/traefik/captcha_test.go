package traefik

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// withoutHiddenRules returns a policy without the rule that would block the path of the captcha.
func withoutHiddenRules(pattern string, response map[string]any) map[string]any {
	return map[string]any{
		"enableDefaultPatterns": false, "blockPatterns": []any{pattern}, "methods": "*", "secret": "0123456789abcdef0123456789abcdef",
		"response": response,
	}
}

// solutions is the path at which a captcha verifies solutions. A guard without a captcha allows this path, and guards with the
// same rules share their allowed targets.
const solutions = "/.guard/captcha"

var withoutCaptcha = map[string]any{"mode": "text"}
var withCaptcha = map[string]any{"mode": "captcha", "captcha": map[string]any{
	"provider": "turnstile", "siteKey": "k", "secretKey": "s", "verifyUrl": "http://127.0.0.1:9/",
}}

// allowsSolutions expects that a guard without a captcha allows the path of solutions.
func allowsSolutions(t *testing.T, s *httptest.Server) {
	t.Helper()
	if got := status(t, s, solutions); got != "200 OK" {
		t.Fatalf("the guard without a captcha: %s", got)
	}
}

// verifiesSolutions expects that a guard with a captcha refuses a wrong solution.
func verifiesSolutions(t *testing.T, s *httptest.Server) {
	t.Helper()
	got := exchange(t, s, "POST "+solutions+" HTTP/1.1\r\nContent-Length: 0")
	if !strings.HasPrefix(got, "HTTP/1.1 403 ") {
		t.Errorf("the solution was not verified: %.80q", got)
	}
}

var sharedPatterns = map[string]string{"known target": "captcha[0-9]$", "prefilter": "^/private/"}

// TestAGuardWithoutACaptchaDoesNotAllowThePathOfAnother posts a solution after another guard with the same rules allowed
// the path where solutions are verified.
func TestAGuardWithoutACaptchaDoesNotAllowThePathOfAnother(t *testing.T) {
	for name, pattern := range sharedPatterns {
		t.Run(name, func(t *testing.T) {
			plain, captcha := serve(t, withoutHiddenRules(pattern, withoutCaptcha)), serve(t, withoutHiddenRules(pattern, withCaptcha))
			for range 2 {
				allowsSolutions(t, plain)
				verifiesSolutions(t, captcha)
			}
		})
	}
}

// TestAReloadThatAddsACaptchaServesItsPath makes the guard with the captcha after an earlier guard has allowed the path. The
// earlier guard still serves its connections. After a reload that removes the captcha, the path is an ordinary one.
func TestAReloadThatAddsACaptchaServesItsPath(t *testing.T) {
	for name, pattern := range sharedPatterns {
		t.Run(name, func(t *testing.T) {
			before := serve(t, withoutHiddenRules(pattern, withoutCaptcha))
			allowsSolutions(t, before)
			allowsSolutions(t, before)
			after := serve(t, withoutHiddenRules(pattern, withCaptcha))
			verifiesSolutions(t, after)
			allowsSolutions(t, before)
			verifiesSolutions(t, after)
			removed := serve(t, withoutHiddenRules(pattern, withoutCaptcha))
			allowsSolutions(t, removed)
			verifiesSolutions(t, after)
		})
	}
}
