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

// NewCaptcha reads the provider's secret from the environment where the policy says so; key is its name in errors. It
// returns nil where the policy has no captcha, or blocks no request.
func NewCaptcha(p *policy.Policy, key string, secret []byte, proxy respond.Host) (*respond.Captcha, error) {
	captcha := p.Response.Captcha
	if captcha == nil {
		return nil, nil
	}
	value, err := policy.FromEnvironment(key, captcha.SecretKey)
	if err != nil {
		return nil, err
	}
	captcha.SecretKey = value
	if !p.Enabled || p.Mode == ModeDetect {
		return nil, nil
	}
	return respond.NewCaptcha(&p.Response, secret, proxy), nil
}
