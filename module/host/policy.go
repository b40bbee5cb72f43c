package host

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// ModeDetect is the policy mode in which the guard reports blocked requests and passes them on.
const ModeDetect = "detect"

const DetectWarning = "the guard only detects: it reports what it would block and lets it through"

// JoinProblems joins the problems of a policy to one error, or returns nil if there are none.
func JoinProblems(problems []policy.Problem) error {
	var list []error
	for _, problem := range problems {
		list = append(list, errors.New(problem.String()))
	}
	return errors.Join(list...)
}

// HashInspection hashes the part of a policy that decides verdicts. The mode, the responses, the ban list, the secret and
// the settings of logs are not part of it.
func HashInspection(p *policy.Policy) ([sha256.Size]byte, error) {
	part := *p
	part.Mode, part.Debug, part.SecurityLog, part.SecurityLogFile, part.Secret = "", false, false, "", ""
	part.Response = policy.Response{}
	part.BanList = nil
	text, err := json.Marshal(part)
	return sha256.Sum256(text), err
}

type Responder struct {
	Answer  respond.Answer
	Banned  respond.Answer   // the response to a client on the ban list
	Captcha *respond.Captcha // nil: the policy has no captcha that verifies solutions, is disabled, or only detects
}

// Respond sends the response to a blocked request.
func (r *Responder) Respond(w http.ResponseWriter, request *http.Request, b *respond.Blocked) {
	if b.Reason == engine.ReasonBanned {
		r.Banned(w, request, b)
		return
	}
	r.Answer(w, request, b)
}

// NewResponder reads secrets from the environment if the policy names variables, and writes the provider's secret into
// p. captchaKey is the name of that secret's key in errors.
func NewResponder(p *policy.Policy, captchaKey string, proxy respond.Host) (*Responder, error) {
	secret, err := policy.SecretBytes(p.Secret)
	if err != nil {
		return nil, err
	}
	if captcha := p.Response.Captcha; captcha != nil {
		value, err := policy.FromEnvironment(captchaKey, captcha.SecretKey)
		if err != nil {
			return nil, err
		}
		captcha.SecretKey = value
	}
	r := &Responder{Answer: respond.New(&p.Response, secret, proxy)}
	r.Banned = r.Answer
	if banned := p.ResponseTo(true); banned != &p.Response {
		r.Banned = respond.New(banned, secret, proxy)
	}
	if p.Response.Captcha != nil && p.Enabled && p.Mode != ModeDetect {
		r.Captcha = respond.NewCaptcha(&p.Response, secret, proxy)
	}
	return r, nil
}
