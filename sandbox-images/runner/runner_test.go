package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain selects one of three roles by the first argument: the tests, the runner, or the proxy that the runner
// starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "as-runner":
			line := run(os.Args[2], time.Now())
			line.Type = "sandbox_exit"
			writeLine(os.Stdout, line)
			os.Exit(line.Status)
		case "as-proxy":
			fakeProxy(os.Args[2], os.Args[3:])
		}
	}
	os.Exit(m.Run())
}

// fakeProxy behaves as the argument behavior says.
func fakeProxy(behavior string, addresses []string) {
	switch behavior {
	case "die":
		os.Exit(7)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "refuse":
		serveOn(addresses[0], http.NotFoundHandler())
	case "relay":
		if os.Getenv(configEnv) != "" {
			os.Exit(9) // the configuration must not reach the proxy's environment
		}
		serveOn(addresses[0], httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addresses[1]}))
	}
}

func serveOn(address string, handler http.Handler) {
	panic(http.ListenAndServe(address, handler))
}

type process struct {
	*exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
}

func startRunner(t *testing.T, plan Plan, large bool) *process {
	t.Helper()
	text, _ := json.Marshal(plan)
	archive := pack(t, file(planFile, string(text)))
	command := exec.Command(os.Args[0], "as-runner", t.TempDir())
	if !large {
		command.Env = append(os.Environ(), configEnv+"="+base64.StdEncoding.EncodeToString(archive))
	}
	stdin, _ := command.StdinPipe()
	stdout, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	if large {
		_, _ = io.Copy(stdin, bytes.NewReader(archive))
	}
	return &process{command, stdin, bufio.NewReader(stdout)}
}

func (p *process) line(t *testing.T) exitLine {
	t.Helper()
	text, err := p.lines.ReadBytes('\n')
	if err != nil {
		t.Fatalf("no line: %v", err)
	}
	var line exitLine
	if err := json.Unmarshal(text, &line); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return line
}

func relayPlan(t *testing.T) Plan {
	echo, front := freeAddress(t), freeAddress(t)
	command := []string{os.Args[0], "as-proxy", "relay", front, echo}
	return Plan{Command: command, Echo: echo, Ready: front, Listen: []string{front}, HoldStdin: true}
}

func TestRunnerBecomesReadyAndEndsWithItsInput(t *testing.T) {
	for name, large := range map[string]bool{"from the environment": false, "from standard input": true} {
		t.Run(name, func(t *testing.T) {
			plan := relayPlan(t)
			p := startRunner(t, plan, large)
			if line := p.line(t); line.Type != "sandbox_ready" {
				t.Fatalf("got %+v", line)
			}
			p.stdin.Close()
			if line := p.line(t); line.Reason != exitStopped || line.Status != 0 {
				t.Fatalf("got %+v", line)
			}
			_ = p.Wait()
			if conn, err := net.Dial("tcp", plan.Ready); err == nil {
				conn.Close()
				t.Fatal("the proxy is still there")
			}
		})
	}
}

func TestRunnerEndsOnASignal(t *testing.T) {
	plan := relayPlan(t)
	plan.HoldStdin = false
	p := startRunner(t, plan, false)
	_ = p.line(t)
	_ = p.Process.Signal(syscall.SIGTERM)
	if line := p.line(t); line.Reason != exitStopped || line.Message != "received terminated" {
		t.Fatalf("got %+v", line)
	}
}

func TestRunnerReportsHowTheProxyEnded(t *testing.T) {
	cases := map[string]struct {
		command []string
		want    exitLine
	}{
		"a status": {[]string{os.Args[0], "as-proxy", "die"}, exitLine{Reason: exitProxyEnded, Message: "the proxy ended with status 7", Status: 7}},
		"a signal": {[]string{os.Args[0], "as-proxy", "kill"}, exitLine{Reason: exitProxyEnded, Message: "the proxy was ended by: killed", Status: 137}},
		"no start": {[]string{"/nonexistent"}, exitLine{Reason: exitBadConfig, Status: 1}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := startRunner(t, Plan{Command: c.command, Ready: freeAddress(t), HoldStdin: true}, false)
			line := p.line(t)
			if line.Reason != c.want.Reason || line.Status != c.want.Status || !strings.Contains(line.Message, c.want.Message) {
				t.Fatalf("got %+v", line)
			}
			_ = p.Wait()
			if p.ProcessState.ExitCode() != c.want.Status {
				t.Fatalf("exit status %d", p.ProcessState.ExitCode())
			}
		})
	}
}

func TestRunnerReportsWhatTheConfigurationLacks(t *testing.T) {
	command := exec.Command(os.Args[0], "as-runner", t.TempDir())
	output, _ := command.Output()
	if !strings.Contains(string(output), `"reason":"bad_config"`) || command.ProcessState.ExitCode() != 1 {
		t.Fatalf("got %s, status %d", output, command.ProcessState.ExitCode())
	}
}

func TestProbeAcceptsOnlyA200(t *testing.T) {
	address := freeAddress(t)
	proxy := exec.Command(os.Args[0], "as-proxy", "refuse", address)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Process.Kill(); _ = proxy.Wait() })
	for {
		err := probe(t.Context(), &Plan{Ready: address})
		if err == nil {
			t.Fatal("a 404 counted as ready")
		}
		if strings.Contains(err.Error(), "404") {
			return
		}
	}
}

func TestOutOfMemoryCounters(t *testing.T) {
	cases := map[string]int{
		"oom_kill_disable 0\nunder_oom 0\noom_kill 2\n": 2,
		"low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\n":     1,
		"": 0,
	}
	for text, want := range cases {
		if got := oomKillsIn(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
