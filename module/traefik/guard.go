// Package traefik is the request guard as a plugin of Traefik, which runs it in an interpreter. Standard library only;
// the work for each request is left to compiled functions of it.
package traefik

import (
	"context"
	"fmt"
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// Config is a policy with the keys of guard.json, as Traefik reads it from a file or from labels.
type Config map[string]any

// CreateConfig returns the configuration that Traefik fills in.
func CreateConfig() *Config { return &Config{} }

// guard inspects requests by a policy and responds to those that it blocks. It passes all others to the next handler.
type guard struct {
	next    http.Handler
	name    string // of the middleware
	policy  *policy.Policy
	rules   *engine.RuleSet
	allowed *allowedTargets // nil: every request is evaluated
	answer  respond.Answer
	// captcha is nil where no visitor can get a pass.
	captcha   *respond.Captcha
	events    *host.EventLog // nil: the policy has none
	inspector *host.Inspector
}

// New makes the guard of a middleware. Traefik logs an error, and then serves no route that uses the middleware.
func New(_ context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	g := &guard{next: next, name: name}
	if err := g.provision(*config); err != nil {
		return nil, fmt.Errorf("guard: middleware %s: %w", name, err)
	}
	g.warn()
	return g.handler(), nil
}

func (g *guard) provision(config map[string]any) error {
	p, err := resolve(config)
	if err != nil {
		return err
	}
	g.policy = p
	secret, err := policy.SecretBytes(p.Secret)
	if err != nil {
		return err
	}
	if g.rules, g.allowed, err = compiled(p); err != nil {
		return err
	}
	if g.events, err = openEvents(p); err != nil {
		return err
	}
	return g.provisionAnswer(secret)
}

func (g *guard) provisionAnswer(secret []byte) (err error) {
	proxy := respond.Host{Drop: drop, Report: g.report}
	if g.captcha, err = host.NewCaptcha(g.policy, "response.captcha.secretKey", secret, proxy); err != nil {
		return err
	}
	g.inspector = &host.Inspector{
		Policy: g.policy, Rules: g.rules, Captcha: g.captcha, Enter: g.enter, Failed: g.failed, Rejoin: rejoin,
	}
	g.answer, err = respond.New(&g.policy.Response, secret, proxy)
	return err
}

// resolve checks a configuration. The error names every wrong key.
func resolve(config map[string]any) (*policy.Policy, error) {
	p, problems := policy.LoadLoose(config)
	if len(problems) > 0 {
		return nil, host.Join(problems)
	}
	return p, nil
}

// warn reports settings that are valid and seldom intended.
func (g *guard) warn() {
	if g.policy.Mode == host.ModeDetect {
		g.report(host.DetectWarning)
	}
}
