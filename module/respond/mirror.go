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

// mirror forwards the request to a honeypot, and its response to the client.
type mirror struct {
	o          *options
	target     *url.URL
	transport  *http.Transport
	deadAnswer Answer // response when the target does not respond
	slowAnswer Answer // response when the target does not respond in time
	isDown     atomic.Bool
}

// silentLog discards all lines. It is made with slog, because log.New of Traefik's interpreter returns a different type.
var silentLog = slog.NewLogLogger(slog.NewTextHandler(io.Discard, nil), slog.LevelError)

// proxyMode mirrors requests to the target of the policy, except CONNECT and requests that a guard has already mirrored.
func proxyMode(o *options) Answer {
	target, err := url.Parse(o.response.ProxyURL)
	if err != nil {
		target = &url.URL{} // unreachable code: the policy was checked; without a host the target counts as dead
	}
	m := &mirror{o: o, target: target, transport: newTransport(), deadAnswer: statusResponder(o, mirrorDeadStatus), slowAnswer: statusResponder(o, mirrorSlowStatus)}
	if o.host.Stopping != nil {
		background.Go(func() {
			<-o.host.Stopping.Done()
			m.transport.CloseIdleConnections()
		})
	}
	answers := struct{ loop, tunnel, mirrored Answer }{ // struct fields because of Traefik's interpreter, as in holdingResponder
		statusResponder(o, mirrorLoopStatus), statusResponder(o, http.StatusForbidden), o.holdingResponder(o.response.MaxResponseSeconds, m.serve),
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
		DisableCompression:     true, // forwards the client's Accept-Encoding
		MaxIdleConnsPerHost:    limits.MirrorIdleConnections,
		IdleConnTimeout:        patience,
		MaxResponseHeaderBytes: limits.MirrorHeadBytes,
	}
	// The transport dials in a goroutine that must not call interpreted code. Traefik's interpreter runs function literals itself,
	// and cannot pass a method value. Reflection passes the compiled method.
	dial := reflect.ValueOf(&net.Dialer{Timeout: patience}).MethodByName("DialContext")
	reflect.ValueOf(transport).Elem().FieldByName("DialContext").Set(dial)
	return transport
}

// serve uses the proxy of the standard library. It streams the response, and aborts it when the target aborts.
func (m *mirror) serve(h *hold, r *http.Request, b *Blocked) {
	body := newMirroredBody(h.w, r)
	out := r.WithContext(h.ctx)
	out.Body = body.reader
	defer body.stopReading()
	defer m.dropIfBroken(h.w, r)
	proxy := httputil.ReverseProxy{
		Transport:     newFinalOnly(body.withTrace(h.ctx), m.transport),
		FlushInterval: -1, // flush after each write
		ErrorLog:      silentLog,
		Rewrite:       func(p *httputil.ProxyRequest) { m.rewriteRequest(p, b) },
		ModifyResponse: func(res *http.Response) error {
			h.mayCut(true)
			body.closeUnlessRead()
			err := m.editResponse(h.w, res)
			if err == nil {
				m.isDown.Store(false)
			}
			return err
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			body.closeUnlessRead()
			m.report(h, err)
			m.fail(h, r, b)
		},
	}
	proxy.ServeHTTP(h.w, out)
}

// finalOnly hides interim responses (RFC 9110 15.2) and trailers from the proxy, which would forward them without edits.
type finalOnly struct {
	transport *http.Transport
	ctx       context.Context
}

// newFinalOnly is a function, because Traefik's interpreter converts an interpreted type to an interface only in a
// return statement.
func newFinalOnly(ctx context.Context, transport *http.Transport) http.RoundTripper {
	return &finalOnly{transport, ctx}
}

func (f *finalOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := f.transport.RoundTrip(r.WithContext(f.ctx))
	if err != nil {
		return nil, err
	}
	final := *res // a copy, because the transport adds trailers to the original after it has read the body
	final.Trailer = nil
	return &final, nil
}

// dropIfBroken aborts a response that cannot be completed, so that it does not look complete.
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

// report reports once that the target does not respond. It does so again only if the target has responded in between.
func (m *mirror) report(h *hold, err error) {
	if h.ctx.Err() == nil && !m.isDown.Swap(true) && m.o.host.Report != nil {
		m.o.host.Report("the target of response mode proxy does not respond: " + err.Error())
	}
}

// fail responds for a target that sent no head: it is dead, or the time is over.
func (m *mirror) fail(h *hold, r *http.Request, b *Blocked) {
	bare := r.WithContext(h.ctx)
	bare.Body = http.NoBody // the original belongs to the proxy, which may still read it
	if errors.Is(h.ctx.Err(), context.DeadlineExceeded) {
		m.slowAnswer(h.w, bare, b)
		return
	}
	m.deadAnswer(h.w, bare, b)
}
