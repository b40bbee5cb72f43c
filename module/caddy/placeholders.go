package guard

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/event"
)

const (
	placeholderPrefix = "http.guard."
	allowed           = "allowed"
	blocked           = "blocked"
)

// placeholdersWithoutRule has the placeholders of verdicts by reason, made once, so that an ordinary request allocates nothing.
var placeholdersWithoutRule = map[string]caddy.ReplacerFunc{}

func init() {
	for _, reason := range reasonsWithoutRule {
		values := map[string]any{"verdict": allowed, "reason": reason, "rule": "", "target": "", "reference": ""}
		byName := map[string]any{}
		for name, value := range values {
			byName[placeholderPrefix+name] = value
		}
		placeholdersWithoutRule[reason] = func(name string) (any, bool) {
			value, ok := byName[name]
			return value, ok
		}
	}
}

func verdictOf(v *engine.Verdict) string {
	if v.Blocked {
		return blocked
	}
	return allowed
}

// showVerdict sets the placeholders {http.guard.*} and the fields of the access log. A verdict with a rule or a limit
// replaces the placeholders of earlier guards. Any other verdict does not. In the access log, each field that is not
// empty replaces that of an earlier guard.
func showVerdict(r *http.Request, v *engine.Verdict) {
	replacer, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return
	}
	if values, ok := placeholdersWithoutRule[v.Reason]; ok {
		replacer.Map(values)
	} else {
		replacer.Set(placeholderPrefix+"verdict", verdictOf(v))
		replacer.Set(placeholderPrefix+"reason", v.Reason)
		replacer.Set(placeholderPrefix+"rule", v.Rule)
		replacer.Set(placeholderPrefix+"target", v.Target)
		replacer.Set(placeholderPrefix+"reference", "")
	}
	logFields(r, zap.String("guard_verdict", verdictOf(v)), zap.String("guard_reason", v.Reason),
		zap.String("guard_rule", v.Rule), zap.String("guard_target", v.Target))
}

// showReference adds the reference of the event. A request without an event has none.
func showReference(r *http.Request, reference string) {
	if replacer, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		replacer.Set(placeholderPrefix+"reference", reference)
	}
	logFields(r, zap.String(event.ReferenceField, reference))
}

// logFields adds fields to the line of the request in the access log. It allocates only where the server has a log.
func logFields(r *http.Request, fields ...zap.Field) {
	server, _ := r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if server == nil || server.Logs == nil {
		return
	}
	if extra, ok := r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
		for _, field := range fields {
			if field.String != "" {
				extra.Set(field)
			}
		}
	}
}
