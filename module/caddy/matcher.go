package guard

import (
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

func init() {
	caddy.RegisterModule(Match{})
}

// errTooEarly is the error of a request in early data, whose client can forge its address.
var errTooEarly = errors.New("a request in early data has no verdict: its client must repeat it after the handshake")

// Match matches the requests that a guard with the same policy would block, so that another handler can respond to them.
// It writes no event, and ignores `mode` and `response`.
//
// It has the same keys as the handler.
type Match struct {
	Keys
	jsonForm
	policy    *policy.Policy
	rules     *sharedRules
	bans      *sharedBans
	inspector *host.Inspector
	counts    *counters
	logger    *zap.Logger
}

func (Match) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.matchers.guard", New: func() caddy.Module { return new(Match) }}
}

// UnmarshalCaddyfile parses the matcher, which has the same syntax as the directive.
func (m *Match) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return m.parse(d) }

func (m *Match) Provision(ctx caddy.Context) (err error) {
	m.logger = ctx.Logger()
	if m.policy, err = m.load(); err != nil {
		return err
	}
	if m.rules, err = acquireRules(m.policy); err != nil {
		return err
	}
	if m.bans, err = acquireBans(m.policy, m.logger); err != nil {
		return err
	}
	m.inspector = &host.Inspector{Policy: m.policy, Rules: m.rules.RuleSet, Slots: slots, Failed: m.logFailure, Rejoin: rejoin}
	m.counts, err = registerCounters(ctx.GetMetricsRegistry(), "match", "", "")
	return err
}

// MatchWithError reports whether the policy blocks the request. A request that cannot be evaluated is an error.
func (m *Match) MatchWithError(r *http.Request) (bool, error) {
	if isEarly(r) {
		return false, caddyhttp.Error(http.StatusTooEarly, errTooEarly)
	}
	q := requests.Get().(*engine.Request)
	describe(r, q)
	q.Bans = m.bans.table()
	v, err := decideTimed(m.inspector, r, q)
	*q = engine.Request{}
	requests.Put(q)
	if err != nil {
		return false, caddyhttp.Error(statusOf(r, err), err)
	}
	m.counts.count(&v)
	showVerdict(r, &v)
	return v.Blocked, nil
}

func (m *Match) logFailure(q *engine.Request, err error) { logFault(m.logger, q, err) }

func (m *Match) Cleanup() error {
	if m.rules != nil {
		releaseRules(m.rules)
	}
	releaseBans(m.bans)
	return nil
}

var (
	_ caddy.Provisioner                 = (*Match)(nil)
	_ caddy.CleanerUpper                = (*Match)(nil)
	_ caddyhttp.RequestMatcherWithError = (*Match)(nil)
	_ caddyfile.Unmarshaler             = (*Match)(nil)
)
