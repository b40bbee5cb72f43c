package respond

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/request-guard/guard/background"
	"github.com/request-guard/guard/limits"
)

// mirror shows the request to a honeypot, and its answer to the client.
type mirror struct {
	o         *options
	target    *url.URL
	transport *http.Transport
	dead      Answer // the target does not answer
	slow      Answer // nor in time
	isDown    atomic.Bool
}

// silent is made by slog because the interpreter of Traefik has a log.New of its own, of another type.
var silent = slog.NewLogLogger(slog.NewTextHandler(io.Discard, nil), slog.LevelError)

// proxyMode mirrors requests to the target of the policy. A request that a guard has mirrored already is not mirrored
// again, and a tunnel (CONNECT) is not built.
func proxyMode(o *options) Answer {
	target, err := url.Parse(o.response.ProxyURL)
	if err != nil {
		target = &url.URL{} // cannot be: the policy was checked. No host: every request is answered as to a dead target
	}
	m := &mirror{o: o, target: target, transport: newTransport(), dead: plain(o, mirrorDeadStatus), slow: plain(o, mirrorSlowStatus)}
	if o.host.Stopping != nil {
		background.Go(func() {
			<-o.host.Stopping.Done()
			m.transport.CloseIdleConnections()
		})
	}
	answers := struct{ loop, tunnel, mirrored Answer }{ // fields for the interpreter of Traefik, as in holding
		plain(o, mirrorLoopStatus), plain(o, http.StatusForbidden), o.holding(o.response.MaxResponseSeconds, m.serve),
	}
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		switch {
		case r.Header.Get(mirrorLoopMark) != "":
			answers.loop(w, r, b)
		case r.Method == http.MethodConnect:
			answers.tunnel(w, r, b)
		default:
			answers.mirrored(w, r, b)
		}
	}
}

func newTransport() *http.Transport {
	patience := limits.MirrorDialSeconds * time.Second
	transport := &http.Transport{
		TLSHandshakeTimeout:    patience,
		DisableCompression:     true, // what the client accepts is the client's
		MaxIdleConnsPerHost:    limits.MirrorIdleConnections,
		IdleConnTimeout:        patience,
		MaxResponseHeaderBytes: limits.MirrorHeadBytes,
	}
	// The transport dials in a goroutine of its own, which must not call what Traefik interprets: a function of ours that
	// calls the method is that. The interpreter cannot hand on the method itself.
	dial := reflect.ValueOf(&net.Dialer{Timeout: patience}).MethodByName("DialContext")
	reflect.ValueOf(transport).Elem().FieldByName("DialContext").Set(dial)
	return transport
}

// serve lets the standard library's proxy do the work: the answer is sent as it comes, and what breaks off breaks off.
func (m *mirror) serve(h *hold, r *http.Request, b *Blocked) {
	body := newMirroredBody(h.w, r)
	out := r.WithContext(h.ctx)
	out.Body = body.reader
	defer body.leave()
	defer m.dropIfBroken(h.w, r)
	proxy := httputil.ReverseProxy{
		Transport:     newFinalOnly(body.traced(h.ctx), m.transport),
		FlushInterval: -1, // at once
		ErrorLog:      silent,
		Rewrite:       func(p *httputil.ProxyRequest) { m.rewrite(p, b) },
		ModifyResponse: func(res *http.Response) error {
			h.mayCut(true)
			body.closeUnlessRead()
			m.isDown.Store(false)
			return m.edit(h.w, res)
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			body.closeUnlessRead()
			m.report(h, err)
			m.fail(h, r, b)
		},
	}
	proxy.ServeHTTP(h.w, out)
}

// finalOnly keeps answers that come before the last one (RFC 9110 15.2) from the proxy, which would send them to the client
// as they are. It asks in a context of its own, since that is where the proxy listens for them.
type finalOnly struct {
	transport *http.Transport
	ctx       context.Context
}

// newFinalOnly is a function because the interpreter of Traefik makes an interface of its own types only where one is returned.
func newFinalOnly(ctx context.Context, transport *http.Transport) http.RoundTripper {
	return &finalOnly{transport, ctx}
}

// RoundTrip asks the target.
func (f *finalOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	return f.transport.RoundTrip(r.WithContext(f.ctx))
}

// dropIfBroken ends an answer that cannot be completed, so that the client does not take it for a whole one.
func (m *mirror) dropIfBroken(w http.ResponseWriter, r *http.Request) {
	fault := recover()
	if fault == nil {
		return
	}
	if err, ok := fault.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
		panic(fault)
	}
	m.o.host.Drop(w, r)
}

// report says once, until the target answers again, that nobody reaches it.
func (m *mirror) report(h *hold, err error) {
	if h.ctx.Err() == nil && !m.isDown.Swap(true) && m.o.host.Report != nil {
		m.o.host.Report("the target of response mode proxy does not answer: " + err.Error())
	}
}

// fail answers for a target that sent no head: it is dead, or there was no time left.
func (m *mirror) fail(h *hold, r *http.Request, b *Blocked) {
	bare := r.WithContext(h.ctx)
	bare.Body = http.NoBody // is the proxy's, that may still be reading it
	if errors.Is(h.ctx.Err(), context.DeadlineExceeded) {
		m.slow(h.w, bare, b)
		return
	}
	m.dead(h.w, bare, b)
}
