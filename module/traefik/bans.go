package traefik

import (
	"fmt"
	"os"
	"sync"

	"github.com/request-guard/guard/banlist"
)

// banLists has the ban lists by path. They stay, because Traefik does not notify a plugin of unused guards.
var banLists = struct {
	mu     sync.Mutex
	byPath map[string]*banlist.List
}{byPath: map[string]*banlist.List{}}

// openBans returns the list at a path, which all guards share.
func openBans(path string, decode banlist.Decoder) *banlist.List {
	banLists.mu.Lock()
	defer banLists.mu.Unlock()
	if banLists.byPath[path] == nil {
		banLists.byPath[path] = banlist.Open(path, decode, reportBans)
	}
	return banLists.byPath[path]
}

// reportBans refers to no guard, because a list stays longer than its guards.
func reportBans(message string) { fmt.Fprintf(os.Stderr, "guard: %s\n", message) }
