package main

import (
	"encoding/json"
	"io"
)

// readyLine reports that the sandbox is ready. Each line on standard output is written with one call, because the proxy
// shares the stream.
type readyLine struct {
	Type string `json:"type"` // "sandbox_ready"
	// Milliseconds from the start of the runner until the sandbox was ready.
	Milliseconds int64 `json:"ms"`
}

type exitLine struct {
	Type    string `json:"type"` // "sandbox_exit"
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

const (
	exitBadConfig   = "bad_config"
	exitNotReady    = "not_ready"
	exitProxyEnded  = "proxy_ended"
	exitOutOfMemory = "out_of_memory"
	exitStopped     = "stopped"
)

func writeLine(w io.Writer, line any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // cannot happen: plain structs of strings and numbers
	}
	// Ignore the error: when standard output is closed, its reader has ended.
	_, _ = w.Write(append(text, '\n'))
}
