package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// ended is the result of the proxy's process.
type ended struct {
	status      syscall.WaitStatus
	outOfMemory bool
}

// startProxy starts the proxy with the output streams of the runner, so that the proxy cannot block on the runner.
func startProxy(command []string) (*os.Process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	process, err := os.StartProcess(command[0], command, &os.ProcAttr{
		Env:   withoutConfig(os.Environ()),
		Files: []*os.File{null, os.Stdout, os.Stderr},
	})
	if err != nil {
		return nil, fmt.Errorf("starting the proxy: %w", err)
	}
	return process, nil
}

// withoutConfig removes the archive, because proxy configurations can read the environment.
func withoutConfig(environment []string) []string {
	var kept []string
	for _, entry := range environment {
		if !strings.HasPrefix(entry, configEnv+"=") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// reap waits for all children until the proxy ends. Process 1 also inherits orphans.
func reap(pid int) ended {
	kills := oomKills()
	for {
		var status syscall.WaitStatus
		dead, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || dead == pid {
			return ended{status: status, outOfMemory: oomKills() > kills}
		}
	}
}

// exitStatus follows the convention of shells: 128 plus the signal that ended the process.
func (e ended) exitStatus() int {
	if e.status.Signaled() {
		return 128 + int(e.status.Signal())
	}
	return e.status.ExitStatus()
}

func (e ended) line() exitLine {
	switch {
	case e.outOfMemory:
		return exitLine{Reason: exitOutOfMemory, Message: "the proxy reached the memory limit", Status: e.exitStatus()}
	case e.status.Signaled():
		return exitLine{Reason: exitProxyEnded, Message: "the proxy was ended by: " + e.status.Signal().String(), Status: e.exitStatus()}
	default:
		message := fmt.Sprintf("the proxy ended with status %d", e.exitStatus())
		return exitLine{Reason: exitProxyEnded, Message: message, Status: max(e.exitStatus(), 1)}
	}
}
