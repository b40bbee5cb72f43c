package traefik

import (
	"fmt"
	"os"
)

// report writes a line to Traefik's log. The caller quotes everything that came from a request.
func (g *guard) report(message string) {
	fmt.Fprintf(os.Stderr, "guard: middleware %s: %s\n", g.name, message)
}
