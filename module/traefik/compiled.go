package traefik

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
)

// pluginSource is in the folder of the plugin, below the working directory of Traefik, where its sources were copied.
const pluginSource = "plugins-local/src/github.com/request-guard/guard/traefik/guard.go"

var sourcesNote sync.Once

// NewCompiled is New for a Traefik that was built with this package: it uses the engine that needs no interpreter.
func NewCompiled(_ context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	sourcesNote.Do(noteSources)
	return newGuard(compiledIn, next, config, name)
}

// noteSources reports sources that look as if they were in use.
func noteSources() {
	if _, err := os.Stat(pluginSource); err == nil {
		fmt.Fprintln(os.Stderr, "guard: the guard is compiled into this Traefik. The sources in plugins-local are not used; only .traefik.yml is needed there")
	}
}
