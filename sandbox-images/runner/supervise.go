package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var forwarded = []os.Signal{
	syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
}

type supervisor struct {
	started  time.Time
	out      io.Writer
	proxy    *os.Process // nil in a gate
	signals  chan os.Signal
	stdinEnd <-chan struct{} // closes when standard input ends; nil when that does not end the sandbox
	ready    <-chan error
	ended    <-chan ended
	kill     <-chan time.Time
	stopped  *exitLine // the reason for which the runner stopped the sandbox
}

func (s *supervisor) run() exitLine {
	for {
		select {
		case end := <-s.ended:
			if s.stopped != nil {
				return *s.stopped
			}
			return end.line()
		case err := <-s.ready:
			s.becomeReady(err)
		case <-s.stdinEnd:
			s.stdinEnd = nil
			s.stop(exitLine{Reason: exitStopped, Message: "standard input ended"})
		case received := <-s.signals:
			s.forward(received)
		case <-s.kill:
			_ = s.proxy.Kill()
		}
		if s.stopped != nil && s.proxy == nil {
			return *s.stopped
		}
	}
}

func (s *supervisor) becomeReady(err error) {
	if err != nil {
		s.stop(exitLine{Reason: exitNotReady, Message: "the proxy did not become ready: " + err.Error(), Status: 1})
		return
	}
	writeLine(s.out, readyLine{Type: "sandbox_ready", Milliseconds: time.Since(s.started).Milliseconds()})
}

// forward forwards a signal to the proxy. SIGTERM and SIGINT stop the sandbox instead, so that the exit counts as
// requested.
func (s *supervisor) forward(received os.Signal) {
	if received == syscall.SIGTERM || received == syscall.SIGINT {
		s.stop(exitLine{Reason: exitStopped, Message: "received " + received.String()})
		return
	}
	if s.proxy != nil {
		_ = s.proxy.Signal(received)
	}
}

// stop asks the proxy to end, and kills it after stopGrace. Only the first reason counts.
func (s *supervisor) stop(why exitLine) {
	if s.stopped != nil {
		return
	}
	s.stopped = &why
	if s.proxy != nil {
		_ = s.proxy.Signal(syscall.SIGTERM)
		s.kill = time.After(stopGrace)
	}
}

// catchSignals starts to receive signals. It is called first, because process 1 has no default actions.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	return signals
}

// watchStdin returns a channel that closes at the end of stdin. Then the program that started the sandbox has ended.
func watchStdin(stdin io.Reader) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, stdin)
	}()
	return gone
}

func awaitReady(plan *Plan) <-chan error {
	result := make(chan error, 1)
	go func() { result <- waitReady(context.Background(), plan) }()
	return result
}
