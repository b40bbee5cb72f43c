// Command interpreted runs command verdicts in Traefik's interpreter, from its sources:
//
//	interpreted GOPATH
//
// GOPATH/src has the module of the guard, as a local plugin has it.
package main

import (
	"fmt"
	"os"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

const command = "github.com/request-guard/guard/cmd/verdicts"

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
	os.Args = []string{"verdicts", "-interpreted"} // of this program, too: package flag is compiled, and reads those
	interpreter := interp.New(interp.Options{GoPath: goPath, Args: os.Args})
	if err := interpreter.Use(stdlib.Symbols); err != nil {
		return err
	}
	_, err := interpreter.EvalPath(command)
	return err
}
