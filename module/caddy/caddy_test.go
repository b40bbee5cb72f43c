package guard

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() { caddy.RegisterModule(backend{}) }

// backend is the last handler of the tests. It responds with the request that it received.
type backend struct{}

func (backend) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.guard_test_backend", New: func() caddy.Module { return new(backend) }}
}

func (backend) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s %s %s", r.Method, r.RequestURI, body)
	return err
}

// site is a Caddy in this process, with one server.
type site struct {
	t             *testing.T
	address       string
	admin         string
	events, log   string // paths of files
	before, extra string // JSON: handlers before the guard, and members of the server
}

func newSite(t *testing.T) *site {
	t.Helper()
	folder := t.TempDir()
	return &site{
		t: t, address: freeAddress(t), admin: freeAddress(t),
		events: filepath.Join(folder, "events.jsonl"), log: filepath.Join(folder, "caddy.log"),
	}
}

// Ports outside of the ranges of other tests and of the kernel. A port in these ranges could be taken before the server
// listens.
const lowestPort, ports = 10_000, 6000

// nextPort gives each address a different port.
var nextPort = rand.IntN(ports)

// freeAddress returns an address for a server that cannot choose one.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range ports {
		nextPort = (nextPort + 1) % ports
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", lowestPort+nextPort))
		if err == nil {
			defer listener.Close()
			return listener.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// config returns the configuration of Caddy for handlers before the backend.
func (s *site) config(handlers ...string) string {
	if s.before != "" {
		handlers = append([]string{s.before}, handlers...)
	}
	return fmt.Sprintf(`{
		"admin": {"listen": %q, "config": {"persist": false}},
		"logging": {"logs": {"default": {"writer": {"output": "file", "filename": %q, "roll": false}}}},
		"apps": {"http": {"grace_period": "1s", "servers": {"site": {
			"listen": [%q], "protocols": ["h1", "h2c"], "automatic_https": {"disable": true}, %s
			"routes": [{"handle": [%s, {"handler": "guard_test_backend"}]}]
		}}}}
	}`, s.admin, s.log, s.address, s.extra, strings.Join(handlers, ","))
}

// guardOf returns a guard handler that writes its events to the site's file. keys are its other members.
func (s *site) guardOf(keys string) string {
	if keys != "" {
		keys = ", " + keys
	}
	return fmt.Sprintf(`{"handler": "guard", "security_log_file": %q%s}`, s.events, keys)
}

// start serves a site with one guard until the end of the test.
func start(t *testing.T, keys string) *site {
	t.Helper()
	s := newSite(t)
	s.load(s.config(s.guardOf(keys)))
	return s
}

func (s *site) load(config string) {
	s.t.Helper()
	if err := caddy.Load([]byte(config), true); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = caddy.Stop() })
}

// lines returns the lines of a file that the site writes.
func (s *site) lines(file string) []string {
	s.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
