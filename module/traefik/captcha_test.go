package traefik

import (
	"strings"
	"testing"
)

// withoutHiddenRules is a policy without a rule that blocks the path of the captcha itself.
func withoutHiddenRules(pattern string, response map[string]any) map[string]any {
	return map[string]any{
		"enableDefaultPatterns": false, "blockPatterns": []any{pattern}, "methods": "*", "secret": "0123456789abcdef0123456789abcdef",
		"response": response,
	}
}

// TestAGuardWithoutACaptchaDoesNotAllowThePathOfAnother posts a solution after another guard with the same rules allowed
// the path where solutions are verified.
func TestAGuardWithoutACaptchaDoesNotAllowThePathOfAnother(t *testing.T) {
	const path = "/.guard/captcha"
	for name, pattern := range map[string]string{"known target": "captcha[0-9]$", "prefilter": "^/private/"} {
		t.Run(name, func(t *testing.T) {
			plain := serve(t, withoutHiddenRules(pattern, map[string]any{"mode": "text"}))
			captcha := serve(t, withoutHiddenRules(pattern, map[string]any{"mode": "captcha", "captcha": map[string]any{
				"provider": "turnstile", "siteKey": "k", "secretKey": "s", "verifyUrl": "http://127.0.0.1:9/",
			}}))
			for range 2 {
				if got := status(t, plain, path); got != "200 OK" {
					t.Fatalf("the guard without a captcha: %s", got)
				}
				got := exchange(t, captcha, "POST "+path+" HTTP/1.1\r\nContent-Length: 0")
				if !strings.HasPrefix(got, "HTTP/1.1 403 ") {
					t.Errorf("the solution was not verified: %.80q", got)
				}
			}
		})
	}
}
