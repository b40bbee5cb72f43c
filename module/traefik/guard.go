// Package traefik is the request guard for Traefik: a plugin, which Traefik interprets, or compiled into Traefik.
package traefik

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/request-guard/guard/banlist"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// Config is a policy with the keys of guard.json, as Traefik reads it from a file or from labels.
type Config map[string]any

// CreateConfig returns the configuration that Traefik fills in.
func CreateConfig() *Config { return &Config{} }

type guard struct {
	variant   *variant
	next      http.Handler
	name      string // name of the middleware
	policy    *policy.Policy
	rules     *engine.RuleSet
	allowed   *allowedTargets // nil: every request is evaluated
	use       *ruleUse        // keeps the rules in the cache while the guard is reachable
	responder *host.Responder
	events    *host.EventLog // nil: the policy has none
	inspector *host.Inspector
	bans      *banlist.List // nil: the policy has none

	inspectsHeaders bool
}

var errAllExploits = errors.New(`exploits: the plugin does not support "all"; use "paths", or compile the guard into Traefik: guardcli build traefik`)

// New makes the guard of a middleware. If New returns an error, Traefik logs it and serves no route that uses the middleware.
func New(_ context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	return newGuard(plugin, next, config, name)
}

func newGuard(v *variant, next http.Handler, config *Config, name string) (http.Handler, error) {
	g := &guard{variant: v, next: next, name: name}
	if err := g.provision(*config); err != nil {
		return nil, fmt.Errorf("guard: middleware %s: %w", name, err)
	}
	g.warn()
	return g.handler(), nil
}

func (g *guard) provision(config map[string]any) (err error) {
	p, problems := policy.LoadLoose(config)
	if len(problems) > 0 {
		return host.JoinProblems(problems)
	}
	g.policy = p
	if g.variant.isInterpreted && p.Exploits == engine.AllExploits {
		return errAllExploits
	}
	if g.use, err = g.variant.rules.acquire(p); err != nil {
		return err
	}
	g.rules, g.allowed = g.use.rules, g.use.allowed
	g.inspectsHeaders = g.rules.InspectsHeaders()
	if g.events, err = openEvents(p); err != nil {
		return err
	}
	proxy := respond.Host{Drop: drop, Report: g.report}
	if g.responder, err = host.NewResponder(p, "response.captcha.secretKey", proxy); err != nil {
		return err
	}
	g.inspector = &host.Inspector{
		Policy: p, Rules: g.rules, Captcha: g.responder.Captcha, Slots: g.variant.slots, Failed: g.logFailure, Rejoin: rejoin,
	}
	if p.Enabled && p.BanList != nil {
		g.bans = openBans(p.BanList.File, g.variant.decode)
	}
	return nil
}

// warn reports valid settings that are rarely intended.
func (g *guard) warn() {
	if g.policy.Mode == host.ModeDetect {
		g.report(host.DetectWarning)
	}
}

// report writes a line to Traefik's log. The caller quotes everything that came from a request.
func (g *guard) report(message string) {
	fmt.Fprintf(os.Stderr, "guard: middleware %s: %s\n", g.name, message)
}
