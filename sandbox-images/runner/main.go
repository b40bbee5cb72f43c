// The runner is process 1 of every sandbox container. It unpacks the configuration into a tmpfs, serves the echo
// backend, starts the proxy, reports when everything is ready, and runs until the proxy ends or the sandbox is stopped.
// In a gate it only relays connections.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"
)

const configDir = "/etc/guard"

func main() {
	if len(os.Args) == 3 && os.Args[1] == "health" {
		checkHealth(os.Args[2])
		return
	}
	line := run(configDir, time.Now())
	line.Type = "sandbox_exit"
	writeLine(os.Stdout, line)
	os.Exit(line.Status)
}

// checkHealth is the health check of the container runtime. It exits with status 1 unless place returns 200.
func checkHealth(place string) {
	if err := getOK(context.Background(), place); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string, started time.Time) exitLine {
	signals := catchSignals()
	stdin := bufio.NewReader(os.Stdin)
	plan, err := load(os.Getenv(configEnv), stdin, dir)
	if err != nil {
		return exitLine{Reason: exitBadConfig, Message: err.Error(), Status: 1}
	}
	s := &supervisor{started: started, out: os.Stdout, signals: signals}
	if plan.HoldStdin {
		s.stdinEnd = watchStdin(stdin)
	}
	if err := s.begin(plan); err != nil {
		return exitLine{Reason: exitBadConfig, Message: err.Error(), Status: 1}
	}
	return s.run()
}

// begin starts the services of the plan: the relays of a gate, or backend and proxy.
func (s *supervisor) begin(plan *Plan) error {
	if len(plan.Forward) > 0 {
		ready := make(chan error, 1)
		ready <- openGate(plan.Forward)
		s.ready = ready
		return nil
	}
	if plan.Echo != "" {
		backend := newEcho()
		if err := listen(plan.Echo, backend.slots, backend.connection); err != nil {
			return fmt.Errorf("opening the backend: %w", err)
		}
	}
	if err := openUpstreams(plan.Upstreams); err != nil {
		return fmt.Errorf("opening a backend: %w", err)
	}
	if err := openAppends(plan.Appends); err != nil {
		return fmt.Errorf("opening a file of events: %w", err)
	}
	if plan.Decisions != nil {
		if err := serveHTTP(plan.Decisions.Listen, plan.Decisions.handler()); err != nil {
			return fmt.Errorf("opening the decision service: %w", err)
		}
	}
	if plan.Provider != "" {
		if err := openProvider(plan.Provider); err != nil {
			return fmt.Errorf("opening the captcha provider: %w", err)
		}
	}
	followFiles(plan.Follow, s.out)
	proxy, err := startProxy(plan.Command)
	if err != nil {
		return err
	}
	exit := make(chan ended, 1)
	go func() { exit <- reap(proxy.Pid) }()
	s.proxy, s.ended, s.ready = proxy, exit, awaitReady(plan)
	return nil
}
