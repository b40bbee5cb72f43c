package respond

import (
	"net/http"
	"strings"
	"time"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// Captcha challenges visitors who were blocked and, when the policy has a secretKey, lets those who solved the challenge
// pass the rule that stopped them: never another rule, never a limit. It holds no state of its own; states and passes are
// signed with the policy's secret, so that every process that knows the secret takes them.
type Captcha struct {
	o         *options
	provider  captchaProvider
	signer    signer
	check     *verifier
	refuse    Answer // where a challenge would help nobody
	notPosted Answer // at captchaPath
	now       func() time.Time
}

// NewCaptcha gives what serves captchaPath and reads passes; nil: the policy has another mode, or verifies nothing.
// Its secretKey must be the key itself and no longer a ${NAME}.
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
		o:         o,
		provider:  provider,
		signer:    signer(o.secret),
		check:     newVerifier(o.response.Captcha, provider.verifyURL, o.host.Report),
		refuse:    plain(o, http.StatusForbidden),
		notPosted: plain(o, http.StatusMethodNotAllowed, "Allow", http.MethodPost),
		now:       time.Now,
	}
}

// plain answers with a status in text, whatever the mode, and with the policy's headers and one of its own.
func plain(o *options, status int, header ...string) Answer {
	own := newOptions(&policy.Response{StatusCode: status, ContentType: "text/plain; charset=utf-8", Headers: o.response.Headers}, nil, o.host)
	for i := 0; i+1 < len(header); i += 2 {
		own.headers[header[i]] = header[i+1]
	}
	return textMode(own)
}

// captchaMode answers with the page of the challenge.
func captchaMode(o *options) Answer {
	c := newCaptcha(o)
	if o.response.Captcha.SecretKey == "" {
		return c.challengeOnly
	}
	return c.challenge
}

// Serves says whether a raw target is the path that challenges are answered at, whatever the method.
func (c *Captcha) Serves(target string) bool {
	rest, ok := strings.CutPrefix(target, captchaPath)
	return ok && (rest == "" || rest[0] == '?')
}

// Excuses says whether the visitor has a pass for the rule that blocked the request. The host then evaluates again with
// the rule in Request.Excused, for at most limits.CaptchaRules rules.
func (c *Captcha) Excuses(r *http.Request, client, rule string) bool {
	if rule == "" {
		return false // a limit
	}
	cookie, err := r.Cookie(passName(rule))
	return err == nil && c.signer.isPass(cookie.Value, c.now().Unix(), newVisit(client, r.Host), rule)
}

// challenge answers a blocked request. Nobody is asked to solve what would let them through nowhere: limits excuse no
// one, and neither does a rule after more of them than are excused at once.
func (c *Captcha) challenge(w http.ResponseWriter, r *http.Request, b *Blocked) {
	if b.Rule == "" || len(b.Excused) >= limits.CaptchaRules {
		c.refuse(w, r, b)
		return
	}
	c.page(w, r, newVisit(b.Client, r.Host), challenge{rule: b.Rule, target: returnPath(b.Target)}, "")
}
