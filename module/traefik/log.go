package traefik

import (
	"fmt"
	"os"
)

// report writes a line to Traefik's log. Nothing in it came from a request, unless it is quoted.
func (g *guard) report(message string) {
	fmt.Fprintf(os.Stderr, "guard: middleware %s: %s\n", g.name, message)
}
