package respond

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/request-guard/guard/limits"
)

// Serve handles the form of a challenge. After a correct solution it redirects the visitor with a pass. After a wrong one it sends
// the challenge again. It refuses methods other than POST, and more verifications than a client or all clients may request.
func (c *Captcha) Serve(w http.ResponseWriter, r *http.Request, client string) {
	if r.Method != http.MethodPost {
		c.notPosted(w, r, &Blocked{Client: client})
		return
	}
	v, form := newVisit(client, r.Host), readForm(w, r)
	pageChallenge, isFresh := c.signer.open(form.Get(captchaStateField), c.now().Unix(), v)
	token := form.Get(c.provider.tokenField)
	if !isFresh || token == "" || len(token) > limits.CaptchaTokenBytes {
		c.sendPage(w, r, &Blocked{Client: client}, pageChallenge, captchaAlert)
		return
	}
	if !c.verifications.spend(heldNetwork(client), c.now().Unix()) {
		c.busy(w, r, &Blocked{Client: client})
		return
	}
	leave, ok := c.o.enterCeiling(client)
	if !ok {
		c.busy(w, r, &Blocked{Client: client})
		return
	}
	isSolved := c.verify(r, solution{token: token, client: client, host: v.host})
	leave()
	if !isSolved {
		c.sendPage(w, r, &Blocked{Client: client}, pageChallenge, captchaAlert)
		return
	}
	c.redirectWithPass(w, r, v, pageChallenge)
}

// verify reports whether the provider accepts a solution. It returns false when the request ends or the proxy stops.
func (c *Captcha) verify(r *http.Request, s solution) bool {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if c.o.host.Stopping != nil {
		defer context.AfterFunc(c.o.host.Stopping, cancel)()
	}
	return c.verifier.verify(ctx, s)
}

// redirectWithPass redirects the visitor to the blocked target, with a pass for the rule if that is known. The browser then repeats
// the request.
func (c *Captcha) redirectWithPass(w http.ResponseWriter, r *http.Request, v visit, pageChallenge challenge) {
	h := w.Header()
	if pageChallenge.rule != "" {
		h.Add("Set-Cookie", c.cookie(v, pageChallenge.rule, r.TLS != nil))
	}
	h.Set("Location", pageChallenge.target)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusSeeOther)
}

func (c *Captcha) cookie(v visit, rule string, isTLS bool) string {
	cookie := c.signer.passName(rule) + "=" + c.signer.pass(c.now().Unix(), v, rule) +
		"; Path=/; Max-Age=" + strconv.FormatInt(c.signer.passSeconds, 10) + "; HttpOnly; SameSite=Lax"
	if isTLS {
		cookie += "; Secure"
	}
	return cookie
}

// readForm parses the form that a browser posts. It returns an empty result for a body that is too long or is not a
// form.
func readForm(w http.ResponseWriter, r *http.Request) url.Values {
	// The deadline bounds a client that sends its body byte by byte, if the server supports deadlines.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(limits.CaptchaVerifySeconds * time.Second))
	body, err := io.ReadAll(io.LimitReader(r.Body, limits.CaptchaBodyBytes+1))
	if err != nil || len(body) > limits.CaptchaBodyBytes {
		return url.Values{}
	}
	// Removes the deadline, which would end the verification too, as if the client had disconnected.
	_ = connection.SetReadDeadline(time.Time{})
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return url.Values{}
	}
	return form
}

// budget bounds the verifications of each network in a span of time, so that no client can use up the provider's quota.
type budget struct {
	mu     sync.Mutex
	span   int64
	counts map[string]int
}

// verificationBudget is the budget of all policies together.
var verificationBudget = &budget{}

func (b *budget) spend(network string, now int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if span := now / limits.CaptchaSpanSeconds; span != b.span || b.counts == nil {
		b.span = span
		b.counts = map[string]int{}
	}
	count := b.counts[network]
	if count >= limits.CaptchaVerifications || count == 0 && len(b.counts) >= limits.CaptchaNetworks {
		return false
	}
	b.counts[network] = count + 1
	return true
}
