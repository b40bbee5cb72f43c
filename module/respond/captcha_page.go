package respond

import (
	"html"
	"net/http"
	"strings"
)

func (c *Captcha) sendPage(w http.ResponseWriter, r *http.Request, b *Blocked, pageChallenge challenge, alert string) {
	state := c.signer.seal(c.now().Unix(), newVisit(b.Client, r.Host), pageChallenge)
	c.o.send(w, r, b, c.o.response.ContentType, c.fillPage(captchaPage, b, alert, state))
}

func (c *Captcha) sendChallengeOnly(w http.ResponseWriter, r *http.Request, b *Blocked) {
	c.o.send(w, r, b, c.o.response.ContentType, c.fillPage(captchaChallengeOnly, b, "", ""))
}

// fillPage replaces the placeholders of a page in one pass, so that values are not searched for placeholders.
func (c *Captcha) fillPage(page string, b *Blocked, alert, state string) string {
	captcha, action := c.o.response.Captcha, ""
	if captcha.Action != "" {
		action = strings.Replace(captchaAction, "[[action]]", captcha.Action, 1)
	}
	return strings.NewReplacer(
		"[[title]]", html.EscapeString(captcha.Title),
		"[[script]]", c.provider.scriptURL,
		"[[widget]]", c.provider.widgetClass,
		"[[site_key]]", html.EscapeString(captcha.SiteKey),
		"[[action]]", action,
		"[[alert]]", alert,
		"[[state]]", state,
		referencePlaceholder, c.o.noteWithReference(htmlNote, b),
	).Replace(page)
}
