package guard

import (
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// provisionCaptcha makes what lets visitors pass. A guard that only detects, or is off, stops nobody.
func (g *Guard) provisionCaptcha(secret []byte, host respond.Host) error {
	captcha := g.policy.Response.Captcha
	if captcha == nil {
		return nil
	}
	key, err := policy.FromEnvironment("response.captcha.secret_key", captcha.SecretKey)
	if err != nil {
		return err
	}
	captcha.SecretKey = key
	if g.policy.Enabled && g.policy.Mode != modeDetect {
		g.captcha = respond.NewCaptcha(&g.policy.Response, secret, host)
	}
	return nil
}

// excuse decides again without the rules that blocked a visitor who has a pass for each of them.
func (g *Guard) excuse(r *http.Request, q *engine.Request, v engine.Verdict) (engine.Verdict, error) {
	client := clientOf(g.rules.Client(q))
	var err error
	for err == nil && v.Blocked && len(q.Excused) < limits.CaptchaRules && g.captcha.Excuses(r, client, v.Rule) {
		q.Excused = append(q.Excused, v.Rule)
		v, err = g.decide(r, q)
	}
	return v, err
}
