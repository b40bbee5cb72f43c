package traefik

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
)

// pluginSource exists below the working directory of Traefik if the sources of the plugin were copied there.
const pluginSource = "plugins-local/src/github.com/request-guard/guard/traefik/guard.go"

var sourcesNote sync.Once

// NewCompiled is New for a Traefik that was built with this package. It uses package engine with its tables.
func NewCompiled(_ context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	sourcesNote.Do(noteSources)
	return newGuard(compiledIn, next, config, name)
}

// noteSources warns if sources of the plugin exist, because an operator may think that Traefik uses them.
func noteSources() {
	if _, err := os.Stat(pluginSource); err == nil {
		fmt.Fprintln(os.Stderr, "guard: the guard is compiled into this Traefik. The sources in plugins-local are not used; only .traefik.yml is needed there")
	}
}
