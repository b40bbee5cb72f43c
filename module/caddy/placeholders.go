package guard

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

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
// replaces those of earlier guards. Any other verdict does not.
func showVerdict(r *http.Request, v *engine.Verdict) {
	replacer, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return
	}
	if values, ok := placeholdersWithoutRule[v.Reason]; ok {
		replacer.Map(values) // values that were set, or mapped before, have precedence
	} else {
		replacer.Set(placeholderPrefix+"verdict", verdictOf(v))
		replacer.Set(placeholderPrefix+"reason", v.Reason)
		replacer.Set(placeholderPrefix+"rule", v.Rule)
		replacer.Set(placeholderPrefix+"target", v.Target)
		replacer.Set(placeholderPrefix+"reference", "")
	}
	logPlaceholders(r, replacer)
}

// showReference adds the reference of the event. A request without an event has none.
func showReference(r *http.Request, reference string) {
	if replacer, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		replacer.Set(placeholderPrefix+"reference", reference)
		logPlaceholders(r, replacer)
	}
}

// loggedPlaceholders has the placeholder of each field of the access log.
var loggedPlaceholders = [...]struct{ field, placeholder string }{
	{"guard_verdict", placeholderPrefix + "verdict"},
	{"guard_reason", placeholderPrefix + "reason"},
	{"guard_rule", placeholderPrefix + "rule"},
	{"guard_target", placeholderPrefix + "target"},
	{event.ReferenceField, placeholderPrefix + "reference"},
}

// logPlaceholders copies the placeholders that are not empty to the line of the request in the access log. It allocates
// only where the server has a log.
func logPlaceholders(r *http.Request, replacer *caddy.Replacer) {
	server, _ := r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if server == nil || server.Logs == nil {
		return
	}
	extra, ok := r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields)
	if !ok {
		return
	}
	for _, logged := range loggedPlaceholders {
		value, _ := replacer.GetString(logged.placeholder)
		field := zap.String(logged.field, value)
		if value == "" {
			field.Type = zapcore.SkipType // replaces the value of an earlier guard, and is not written
		}
		extra.Set(field)
	}
}
