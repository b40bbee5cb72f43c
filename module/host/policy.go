package host

import (
	"crypto/sha256"
	"encoding/json"
	"errors"

	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// ModeDetect is the mode of a policy whose guard reports blocked requests and passes them on.
const ModeDetect = "detect"

// DetectWarning is logged when a guard with ModeDetect starts.
const DetectWarning = "the guard only detects: it reports what it would block and lets it through"

// Join makes one error of the problems of a policy; nil: there are none.
func Join(problems []policy.Problem) error {
	var list []error
	for _, problem := range problems {
		list = append(list, errors.New(problem.String()))
	}
	return errors.Join(list...)
}

// HashInspection hashes the part of a policy that decides verdicts. The response and the reports are not part of it.
func HashInspection(p *policy.Policy) ([sha256.Size]byte, error) {
	part := *p
	part.Mode, part.Debug, part.SecurityLog, part.SecurityLogFile, part.Secret = "", false, false, "", ""
	part.Response = policy.Response{}
	text, err := json.Marshal(part)
	return sha256.Sum256(text), err
}

// Responder responds to the blocked requests of a policy.
type Responder struct {
	Answer  respond.Answer
	Captcha *respond.Captcha // nil: no visitor can get a pass
}

// NewResponder reads the secrets of a policy from the environment where it says so. captchaKey is the name of the
// provider's secret in errors.
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
	if p.Response.Captcha != nil && p.Enabled && p.Mode != ModeDetect {
		r.Captcha = respond.NewCaptcha(&p.Response, secret, proxy)
	}
	return r, nil
}
