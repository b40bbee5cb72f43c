package guard

import (
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// verdictCounts counts for the whole process, so that a reload does not reset it. Its labels never come from requests.
var verdictCounts = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "caddy",
	Subsystem: "guard",
	Name:      "verdicts_total",
	Help:      "Verdicts of the guard: by verdict and reason, the deciding rule, the mode of the policy and the response mode.",
}, []string{"verdict", "reason", "rule", "mode", "action"})

var durations = prometheus.NewHistogram(prometheus.HistogramOpts{
	Namespace: "caddy",
	Subsystem: "guard",
	Name:      "duration_seconds",
	Help:      "Time from the arrival of a request at the guard to its verdict, with the reading of an inspected body.",
	// Seconds: from an ordinary path to a body of the maximum size.
	Buckets: []float64{2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 5e-3, 2e-2, 1e-1, 1},
})

// upgradeCounts counts for the whole process, like verdictCounts.
var upgradeCounts = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "caddy",
	Subsystem: "guard",
	Name:      "upgrades_removed_total",
	Help:      "Requests with a protocol that allow_upgrades does not have. Mode detect removes none.",
}, []string{"mode"})

// reasonsWithoutRule are the reasons of allowed requests for which no rule decides.
var reasonsWithoutRule = []string{engine.ReasonNoMatch, engine.ReasonMethodNotInspected, engine.ReasonAllowedIp, engine.ReasonDisabled}

type counters struct {
	mode, action, banned string // banned: the action for banned clients
	// byReason has the counters of reasons without a rule. They are looked up once and not for each request.
	byReason map[string]prometheus.Counter
	upgrades prometheus.Counter
}

// registerCounters registers the counters in the registry of one configuration. action and banned are the modes of the responses.
func registerCounters(registry *prometheus.Registry, mode, action, banned string) (*counters, error) {
	for _, collector := range []prometheus.Collector{verdictCounts, upgradeCounts, heldMetric, durations} {
		var already prometheus.AlreadyRegisteredError
		if err := registry.Register(collector); err != nil && !errors.As(err, &already) {
			return nil, err
		}
	}
	c := &counters{mode: mode, action: action, banned: banned, byReason: map[string]prometheus.Counter{}, upgrades: upgradeCounts.WithLabelValues(mode)}
	for _, reason := range reasonsWithoutRule {
		c.byReason[reason] = verdictCounts.WithLabelValues(allowed, reason, "", mode, "")
	}
	return c, nil
}

func decideTimed(inspector *host.Inspector, r *http.Request, q *engine.Request) (engine.Verdict, error) {
	started := time.Now()
	v, err := inspector.Decide(r, q)
	durations.Observe(time.Since(started).Seconds())
	return v, err
}

func (c *counters) count(v *engine.Verdict) {
	if v.Reason == engine.ReasonBanned {
		verdictCounts.WithLabelValues(blocked, v.Reason, "", c.mode, c.banned).Inc()
	} else if v.Blocked {
		verdictCounts.WithLabelValues(blocked, v.Reason, v.Rule, c.mode, c.action).Inc()
	} else if counter, ok := c.byReason[v.Reason]; ok {
		counter.Inc()
	} else {
		verdictCounts.WithLabelValues(allowed, v.Reason, v.Rule, c.mode, "").Inc()
	}
}
