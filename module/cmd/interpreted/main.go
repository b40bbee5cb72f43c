// Command interpreted runs command verdicts from its sources in Traefik's interpreter:
//
//	interpreted GOPATH
//
// GOPATH/src contains the module of the guard, in the layout of a local plugin.
package main

import (
	"fmt"
	"os"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

const verdictsPackage = "github.com/request-guard/guard/cmd/verdicts"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "interpreted: name a GOPATH")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "interpreted:", err)
		os.Exit(1)
	}
}

func run(goPath string) error {
	// The interpreted code uses the compiled package flag, so it reads the arguments of this program.
	os.Args = []string{"verdicts", "-interpreted"}
	interpreter := interp.New(interp.Options{GoPath: goPath, Args: os.Args})
	if err := interpreter.Use(stdlib.Symbols); err != nil {
		return err
	}
	_, err := interpreter.EvalPath(verdictsPackage)
	return err
}
