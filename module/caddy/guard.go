// Package guard is the request guard as a handler of Caddy: http.handlers.guard.
package guard

import (
	"context"
	"reflect"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

func init() {
	caddy.RegisterModule(Guard{})
}

// Guard inspects requests by a policy and responds to those that it blocks. It passes allowed requests to the next handler.
//
// It has the keys of the policy file in snake_case (docs/policy.md). An unknown key is an error.
type Guard struct {
	Keys
	jsonForm
	policy    *policy.Policy
	rules     *sharedRules
	bans      *sharedBans
	responder *host.Responder
	inspector *host.Inspector
	// stop ends the requests that the guard holds open.
	stop   context.CancelFunc
	events *sharedLog
	counts *counters
	logger *zap.Logger
}

func (Guard) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.guard",
		New: func() caddy.Module { return new(Guard) },
	}
}

// Provision compiles the policy. Guards with the same host.HashInspection share their rules, and guards with the same
// event file share its log.
func (g *Guard) Provision(ctx caddy.Context) error {
	g.logger = ctx.Logger()
	resolved, err := g.load()
	if err != nil {
		return err
	}
	g.policy = resolved
	stopping, stop := untilShutdown(ctx)
	g.stop = stop
	proxy := respond.Host{Drop: drop, Stopping: stopping, Cut: cutConnection, Report: func(message string) { g.logger.Error(message) }}
	if g.responder, err = host.NewResponder(resolved, "response.captcha.secret_key", proxy); err != nil {
		return err
	}
	if g.rules, err = acquireRules(resolved); err != nil {
		return err
	}
	if g.bans, err = acquireBans(resolved, g.logger); err != nil {
		return err
	}
	g.inspector = &host.Inspector{
		Policy: resolved, Rules: g.rules.RuleSet, Captcha: g.responder.Captcha, Slots: slots, Failed: g.logFailure, Rejoin: rejoin,
	}
	if g.events, err = acquireLog(resolved); err != nil {
		return err
	}
	banned := resolved.ResponseTo(true).Mode
	if g.counts, err = registerCounters(ctx.GetMetricsRegistry(), resolved.Mode, resolved.Response.Mode, banned); err != nil {
		return err
	}
	g.warn(ctx)
	register(g)
	return nil
}

// warn reports valid settings that are rarely intended.
func (g *Guard) warn(ctx caddy.Context) {
	if len(g.policy.TrustedProxies) == 0 && serverTrustsProxies(ctx) {
		g.logger.Warn("the server has trusted_proxies but the guard's policy has none: behind a proxy every client has the proxy's address for the guard; set trusted_proxies in the policy too")
	}
	if g.policy.Mode == host.ModeDetect {
		g.logger.Warn(host.DetectWarning)
	}
}

// Cleanup releases everything that Provision acquired, even if Provision failed.
func (g *Guard) Cleanup() error {
	unregister(g)
	if g.stop != nil {
		g.stop()
	}
	if g.rules != nil {
		releaseRules(g.rules)
	}
	releaseBans(g.bans)
	if g.events != nil {
		return releaseLog(g.events)
	}
	return nil
}

var (
	_ caddy.Module                = (*Guard)(nil)
	_ caddy.Provisioner           = (*Guard)(nil)
	_ caddy.CleanerUpper          = (*Guard)(nil)
	_ caddyhttp.MiddlewareHandler = (*Guard)(nil)
)

// serverTrustsProxies uses reflection, because Caddy does not export the loaded list of trusted_proxies.
func serverTrustsProxies(ctx caddy.Context) bool {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return false
	}
	trusted := reflect.ValueOf(server).Elem().FieldByName("trustedProxies")
	return trusted.IsValid() && trusted.Kind() == reflect.Interface && !trusted.IsNil()
}
