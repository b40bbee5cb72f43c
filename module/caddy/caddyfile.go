package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/request-guard/guard/policy"
)

// The directive has no default position, so Caddy requires the operator to set its order. With a wrong default, the
// guard would run too late.
func init() {
	httpcaddyfile.RegisterHandlerDirective("guard", parseDirective)
	httpcaddyfile.RegisterHandlerDirective("route_guard", parseDirective)
}

func parseDirective(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	g := new(Guard)
	return g, g.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile parses the directive. Syntax:
//
//	guard [<matcher>] {
//	    <key> <true|false> | <number> | <text>
//	    <list key> <values...>        # repeat the key to continue the list
//	    rule <id> { action ...; pattern ...; targets ...; description ... }
//	    application <name> { hosts ...; base_path ... }
//	    exception { rules ...; path ...; hosts ...; clients ... }
//	    response { ...; headers { <name> <value> }; captcha { ... } }
//	}
//
// It checks the whole policy, so that errors of caddy adapt and caddy validate name the line.
func (g *Guard) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return g.parse(d) }

func (f *jsonForm) parse(d *caddyfile.Dispenser) error {
	d.Next() // the name of the directive
	block := &directive{Dispenser: d, places: map[string]place{}}
	block.recordPlace("")
	if d.CountRemainingArgs() > 0 {
		return d.ArgErr()
	}
	object := map[string]any{}
	if err := block.parseSection(object, "", ""); err != nil {
		return err
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	f.written = text
	_, problems := f.checkPolicy()
	return block.joinProblems(problems)
}

func (d *directive) joinProblems(problems []policy.Problem) error {
	list := make([]error, 0, len(problems))
	for _, p := range problems {
		at := d.placeOf(p.Path)
		list = append(list, fmt.Errorf("%s, at %s:%d", p, at.file, at.line))
	}
	return errors.Join(list...)
}

// placeOf returns the position of the value at path or, if it is absent, of its nearest container.
func (d *directive) placeOf(path string) place {
	for {
		if at, ok := d.places[path]; ok {
			return at
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
}

var _ caddyfile.Unmarshaler = (*Guard)(nil)
