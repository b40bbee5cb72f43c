package guard

import (
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/respond"
)

// requests pools request descriptions, so that an allowed request allocates nothing.
var requests = sync.Pool{New: func() any { return new(engine.Request) }}

// ServeHTTP inspects a body only if the policy requires it and the other parts of the request did not decide. Otherwise it does
// not read the body, except that of a captcha's solution.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if isEarly(r) {
		return g.refuseEarly(w, r, next)
	}
	q := requests.Get().(*engine.Request)
	describe(r, q)
	q.Bans = g.bans.table()
	if captcha := g.responder.Captcha; captcha != nil && captcha.Serves(q.Target) && !g.rules.IsBanned(q) {
		captcha.Serve(w, r, host.ClientText(g.rules.RuleSet, q))
		return nil
	}
	v, err := decideTimed(g.inspector, r, q)
	if err != nil {
		return g.fault(w, r, next, err)
	}
	g.counts.count(&v)
	showVerdict(r, &v)
	if g.policy.Debug {
		g.trace(q, &v)
	}
	if v.Blocked {
		return g.block(w, r, next, q, &v)
	}
	*q = engine.Request{}
	requests.Put(q)
	return g.pass(w, r, next)
}

// pass calls the next handler. It first removes protocols to which the connection must not switch, and refuses tunnels.
func (g *Guard) pass(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if host.MaySwitch(r) && g.endsSwitch(w, r) {
		return nil
	}
	return next.ServeHTTP(w, r)
}

var upgradeNote sync.Once

// endsSwitch reports whether it has refused the request.
func (g *Guard) endsSwitch(w http.ResponseWriter, r *http.Request) bool {
	q, tunnel := new(engine.Request), engine.Connect
	describe(r, q)
	if isWebSocket(r) {
		tunnel = webSocket
	}
	found := g.inspector.KeepsConnection(r, q, tunnel)
	if found.Refused != "" {
		g.counts.upgrades.Inc()
		upgradeNote.Do(func() { g.logger.Warn(g.inspector.DescribeUpgrade(found.Refused, "allow_upgrades")) })
	}
	if found.Ends {
		respond.Refuse(w, r, http.StatusNotImplemented)
	}
	return found.Ends
}

func (g *Guard) logFailure(q *engine.Request, err error) { logFault(g.logger, q, err) }

// logFault logs an error of the engine with the stack of its panic.
func logFault(logger *zap.Logger, q *engine.Request, err error) {
	logger.Error(err.Error(), zap.String("target", q.Target), zap.ByteString("stack", debug.Stack()))
}

// fault refuses a request that has no verdict. A guard that only detects passes it on, unless its body cannot be read.
func (g *Guard) fault(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, err error) error {
	isBusy, isFault := errors.Is(err, host.ErrBusy), errors.Is(err, host.ErrEngine)
	if (isBusy || isFault) && g.policy.Mode == host.ModeDetect {
		return g.pass(w, r, next)
	}
	if isBusy {
		w.Header().Set("Retry-After", "1")
	}
	respond.Refuse(w, r, statusOf(r, err))
	return nil
}

func statusOf(r *http.Request, err error) int {
	var withStatus caddyhttp.HandlerError // set by an earlier handler such as request_body
	switch {
	case errors.Is(err, host.ErrBusy):
		return http.StatusServiceUnavailable
	case errors.Is(err, host.ErrEngine):
		return http.StatusInternalServerError
	case errors.As(err, &withStatus):
		return withStatus.StatusCode
	}
	return respond.BrokenBody(r.Context(), err)
}

type replay struct {
	io.Reader
	io.Closer
}

func rejoin(whole io.Reader, original io.Closer) io.ReadCloser { return replay{whole, original} }
