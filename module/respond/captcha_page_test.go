package respond

import (
	"fmt"
	"html"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

var scripting = regexp.MustCompile(`(?i)<script>|\son\w+=|javascript:|<style|\sstyle=`)

func TestPagesOfEveryProvider(t *testing.T) {
	title, key := `<b>"One" & [[state]]'s</b>`, `"><i>`
	for name, provider := range captchaProviders {
		for _, secret := range []string{"", `,"secret_key":"s"`} {
			answer := build(t, fmt.Sprintf(`{"mode":"captcha","captcha":{"provider":%q,"site_key":%q,"title":%q%s}}`, name, key, title, secret))
			w := httptest.NewRecorder()
			answer(w, httptest.NewRequest("GET", "/.env", nil), &Blocked{Rule: "env-file", Target: "/.env", Client: clientAddress})
			page := w.Body.String()
			for _, want := range []string{
				"<h1>" + html.EscapeString(title) + "</h1>", `class="` + provider.widgetClass + `" data-sitekey="` + html.EscapeString(key) + `"`,
				`<script src="` + provider.scriptURL + `" async defer></script>`, "<noscript>",
			} {
				if !strings.Contains(page, want) {
					t.Errorf("%s%s: %s is missing in\n%s", name, secret, want, page)
				}
			}
			if scripting.MatchString(page) || strings.Contains(page, "[[site_key]]") || strings.Contains(page, "<form") != (secret != "") {
				t.Errorf("%s%s: got\n%s", name, secret, page)
			}
			if got := w.Header().Get("Content-Security-Policy"); got != provider.contentSecurityPolicy || !strings.HasPrefix(got, "default-src 'none'; script-src https://") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}
