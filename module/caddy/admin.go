package guard

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/caddyserver/caddy/v2"

	"github.com/request-guard/guard/policy"
)

func init() {
	caddy.RegisterModule(adminAPI{})
}

// liveGuards has the provisioned guards. A reload keeps guards of the old configuration until their last request has ended.
var liveGuards = struct {
	sync.Mutex
	guards map[*Guard]struct{}
}{guards: map[*Guard]struct{}{}}

func register(g *Guard) {
	liveGuards.Lock()
	defer liveGuards.Unlock()
	liveGuards.guards[g] = struct{}{}
}

func unregister(g *Guard) {
	liveGuards.Lock()
	defer liveGuards.Unlock()
	delete(liveGuards.guards, g)
}

func listGuards() []*Guard {
	liveGuards.Lock()
	defer liveGuards.Unlock()
	return slices.AppendSeq([]*Guard{}, maps.Keys(liveGuards.guards))
}

// adminAPI returns the policies of the live guards, without secrets.
type adminAPI struct{}

func (adminAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.guard", New: func() caddy.Module { return new(adminAPI) }}
}

func (a adminAPI) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{{Pattern: "/guard/policies", Handler: caddy.AdminHandlerFunc(a.policies)}}
}

func (adminAPI) policies(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("method not allowed")}
	}
	policies := []json.RawMessage{}
	for _, g := range listGuards() {
		shown, err := policy.HideSecrets(g.written)
		if err != nil {
			return err
		}
		policies = append(policies, shown)
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(policies)
}

var _ caddy.AdminRouter = adminAPI{}
