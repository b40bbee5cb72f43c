package guard

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/policy"
)

// verdicts counts for the whole process, so that a reload does not reset the counts. The values of its labels come from
// policies, never from requests.
var verdicts = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "caddy",
	Subsystem: "guard",
	Name:      "verdicts_total",
	Help:      "Verdicts of the guard: by verdict and reason, the deciding rule, the mode of the policy and the response mode.",
}, []string{"verdict", "reason", "rule", "mode", "action"})

// counters has the counters of one policy.
type counters struct {
	mode, action string
	// byReason has the counters of reasons without a rule. They are looked up once and not for each request.
	byReason map[string]prometheus.Counter
}

// registerCounters registers the counters in the registry of a configuration. Every configuration has a separate
// registry.
func registerCounters(registry *prometheus.Registry, p *policy.Policy) (*counters, error) {
	for _, collector := range []prometheus.Collector{verdicts, held} {
		var already prometheus.AlreadyRegisteredError
		if err := registry.Register(collector); err != nil && !errors.As(err, &already) {
			return nil, err
		}
	}
	c := &counters{mode: p.Mode, action: p.Response.Mode, byReason: map[string]prometheus.Counter{}}
	for _, reason := range []string{engine.ReasonNoMatch, engine.ReasonMethodNotInspected, engine.ReasonAllowedIp, engine.ReasonDisabled} {
		c.byReason[reason] = verdicts.WithLabelValues("allowed", reason, "", p.Mode, "")
	}
	return c, nil
}

func (c *counters) count(v *engine.Verdict) {
	if v.Blocked {
		verdicts.WithLabelValues("blocked", v.Reason, v.Rule, c.mode, c.action).Inc()
	} else if counter, ok := c.byReason[v.Reason]; ok {
		counter.Inc()
	} else {
		verdicts.WithLabelValues("allowed", v.Reason, v.Rule, c.mode, "").Inc()
	}
}
