package respond

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// Captcha challenges visitors who were blocked. With a secretKey, a visitor who solved the challenge gets a pass: a
// cookie that excuses the rule that blocked the request. A state is a hidden field of the page with the challenge.
// Captcha stores neither states nor passes: it signs them with a key from the policy's secret.
type Captcha struct {
	o             *options
	provider      captchaProvider
	signer        signer
	verifier      *verifier
	verifications *budget
	refuse        Answer // response when a challenge cannot help
	busy          Answer // response when the bounds on verifications are reached
	notPosted     Answer // response at captchaPath to methods other than POST
	now           func() time.Time
}

// NewCaptcha returns nil if the policy has another mode or verifies nothing. The secretKey must be the key itself, not ${NAME}.
func NewCaptcha(response *policy.Response, secret []byte, host Host) *Captcha {
	if response.Mode != "captcha" || response.Captcha.SecretKey == "" {
		return nil
	}
	return newCaptcha(newOptions(response, secret, host))
}

func newCaptcha(o *options) *Captcha {
	provider := captchaProviders[o.response.Captcha.Provider]
	o.headers["Content-Security-Policy"] = provider.contentSecurityPolicy
	o.headers["Referrer-Policy"] = captchaReferrerPolicy
	return &Captcha{
		o:             o,
		provider:      provider,
		signer:        newSigner(o.secret, o.response.Captcha, provider.name),
		verifier:      newVerifier(o.response.Captcha, provider, o.host.Report),
		verifications: verificationBudget,
		refuse:        statusResponder(o, http.StatusForbidden),
		busy:          statusResponder(o, http.StatusTooManyRequests, "Retry-After", strconv.Itoa(limits.CaptchaSpanSeconds)),
		notPosted:     statusResponder(o, http.StatusMethodNotAllowed, "Allow", http.MethodPost),
		now:           time.Now,
	}
}

// statusResponder returns a response with a status as text and the policy's headers. header has the names and values of
// further headers in turn.
func statusResponder(o *options, status int, header ...string) Answer {
	textOptions := newOptions(&policy.Response{
		Mode: o.response.Mode, StatusCode: status, ContentType: "text/plain; charset=utf-8", Headers: o.response.Headers,
	}, nil, o.host)
	for i := 0; i+1 < len(header); i += 2 {
		textOptions.headers[header[i]] = header[i+1]
	}
	return textMode(textOptions)
}

func captchaMode(o *options) Answer {
	c := newCaptcha(o)
	if o.response.Captcha.SecretKey == "" {
		return c.sendChallengeOnly
	}
	return c.respondWithChallenge
}

// Serves reports whether a raw target is the path that verifies challenges, for any method.
func (c *Captcha) Serves(target string) bool {
	rest, ok := strings.CutPrefix(target, captchaPath)
	return ok && (rest == "" || rest[0] == '?')
}

// Excuses reports whether the visitor has a pass for a rule. The host then evaluates again with the rule in Request.Excused.
func (c *Captcha) Excuses(r *http.Request, client, id, pattern string) bool {
	return c.hasPass(r, client, ruleOf(id, pattern))
}

func (c *Captcha) hasPass(r *http.Request, client, rule string) bool {
	if rule == "" {
		return false // a limit blocked the request
	}
	cookie, err := r.Cookie(c.signer.passName(rule))
	return err == nil && c.signer.isPass(cookie.Value, c.now().Unix(), newVisit(client, r.Host), rule)
}

// respondWithChallenge sends the page with a challenge. It refuses the request when a pass cannot help: for a limit, and beyond
// limits.CaptchaRules.
func (c *Captcha) respondWithChallenge(w http.ResponseWriter, r *http.Request, b *Blocked) {
	if b.Rule == "" || len(b.Excused) >= limits.CaptchaRules {
		c.refuse(w, r, b)
		return
	}
	c.sendPage(w, r, b, challenge{rule: ruleOf(b.Rule, b.Pattern), target: returnPath(b.Target)}, "")
}
