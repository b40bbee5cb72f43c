package guard

import (
	"context"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/request-guard/guard/respond"
)

// untilShutdown returns a context that ends with stop, or when the server begins to shut down. Caddy cleans up modules only after
// its servers have waited for every request, so held requests must end earlier.
func untilShutdown(ctx caddy.Context) (stopping context.Context, stop context.CancelFunc) {
	stopping, stop = context.WithCancel(context.Background())
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		server.RegisterOnShutdown(stop)
	}
	return stopping, stop
}

// cutConnection makes all further writes to the client fail. It sets the deadline on the innermost writer, because only
// the goroutine that writes may call Caddy's wrappers.
func cutConnection(w http.ResponseWriter) {
	for {
		outer, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		w = outer.Unwrap()
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}

// heldRequests exports the number of requests that package respond holds open in the whole process.
type heldRequests struct{ description *prometheus.Desc }

var heldMetric = heldRequests{prometheus.NewDesc("caddy_guard_held_requests",
	"Requests that the guard holds open now, by response mode.", []string{"action"}, nil)}

func (h heldRequests) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- h.description }

func (h heldRequests) Collect(metrics chan<- prometheus.Metric) {
	for mode, count := range respond.HeldByMode() {
		metrics <- prometheus.MustNewConstMetric(h.description, prometheus.GaugeValue, float64(count), mode)
	}
}

// drop sends no byte. It first stops reading, because the server would otherwise wait for a body that the client withholds.
func drop(w http.ResponseWriter, _ *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	panic(http.ErrAbortHandler)
}
