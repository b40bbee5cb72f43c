// Command verdicts writes the verdicts of the Go engine on requests from standard input (conformance/differential/protocol.ts).
// With -interpreted it evaluates like the Traefik plugin.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/textproto"
	"os"

	"github.com/request-guard/guard/banlist"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/interpreted"
	"github.com/request-guard/guard/policy"
)

func main() {
	isInterpreted := flag.Bool("interpreted", false, "decide with the rule sets for an interpreter")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "verdicts: unexpected argument", flag.Arg(0))
		os.Exit(2)
	}
	guards := compiled
	if *isInterpreted {
		guards = inPlugin
	}
	if err := run(os.Stdin, os.Stdout, guards); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(1)
	}
}

const longestLine = 64 << 20 // bytes: all policies are one line, and so is each request with its body

// kind is a kind of guard.
type kind struct {
	compile func(*policy.Policy) (*engine.RuleSet, error)
	decode  banlist.Decoder
}

var (
	compiled = kind{engine.Compile, banlist.Bytewise}
	inPlugin = kind{interpreted.Compile, banlist.ByCalls}
)

func run(in io.Reader, out io.Writer, k kind) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<20), longestLine)
	answers := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(answers)
	encoder.SetEscapeHTML(false)
	if !lines.Scan() {
		return errors.Join(errors.New("reading the policies: no input"), lines.Err())
	}
	guards, err := compilePolicies(lines.Bytes(), k)
	if err != nil {
		return err
	}
	for n := 2; lines.Scan(); n++ {
		answer, err := answerTo(guards, lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), answers.Flush())
}

type guard struct {
	rules *engine.RuleSet
	bans  *banlist.Table // nil: the policy has none
}

func compilePolicies(line []byte, k kind) ([]guard, error) {
	var opening struct {
		Policies []json.RawMessage `json:"policies"`
	}
	if err := json.Unmarshal(line, &opening); err != nil {
		return nil, fmt.Errorf("reading the policies: %w", err)
	}
	var guards []guard
	for i, text := range opening.Policies {
		p, problems := policy.LoadCamelCase(text)
		if len(problems) > 0 {
			return nil, fmt.Errorf("policies[%d]: %v", i, problems)
		}
		rules, err := k.compile(p)
		if err != nil {
			return nil, fmt.Errorf("policies[%d]: %w", i, err)
		}
		g := guard{rules: rules}
		if p.BanList != nil {
			g.bans = banlist.Open(p.BanList.File, k.decode, func(string) {}).Table()
		}
		guards = append(guards, g)
	}
	return guards, nil
}

// question is a request as a line of JSON, in which byte strings are base64.
type question struct {
	Policy    int         `json:"q"`
	Target    []byte      `json:"t"`
	Rewritten []byte      `json:"r"` // nil: no rewrite
	Method    *string     `json:"m"`
	Headers   [][2]string `json:"h"`
	Body      []byte      `json:"b"`
	Peer      string      `json:"ip"`
	Host      string      `json:"host"`
}

type answer struct {
	Candidates []string  `json:"c"`
	Limit      string    `json:"l"`
	Verdict    [6]string `json:"v"`
}

func answerTo(guards []guard, line []byte) (*answer, error) {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, err
	}
	if q.Policy < 0 || q.Policy >= len(guards) {
		return nil, fmt.Errorf("there is no policy %d", q.Policy)
	}
	request, err := q.request()
	if err != nil {
		return nil, err
	}
	rules := guards[q.Policy].rules
	request.Bans = guards[q.Policy].bans
	candidates, limit := []string{}, ""
	if q.Headers == nil {
		candidates, limit = rules.Candidates(request.Target)
	}
	v := rules.Evaluate(request)
	word := "allowed"
	if v.Blocked {
		word = "blocked"
	}
	overflow := ""
	if v.Overflow != "" {
		overflow = fmt.Sprintf("%s %d %d", v.Overflow, v.InspectedValues, v.InspectedBytes)
	}
	return &answer{candidates, limit, [6]string{word, v.Reason, v.Target, v.Candidate, v.Rule, overflow}}, nil
}

// request returns the request in the form of a Go server, with names of headers in canonical form.
func (q *question) request() (*engine.Request, error) {
	r := &engine.Request{
		Method: "GET", Target: string(q.Target), Rewritten: string(q.Rewritten), HasRewritten: q.Rewritten != nil,
		Host: q.Host, Peer: q.Peer, Header: map[string][]string{}, Body: q.Body,
	}
	if q.Method != nil {
		r.Method = *q.Method
	}
	for _, h := range q.Headers {
		value, err := base64.StdEncoding.DecodeString(h[1])
		if err != nil {
			return nil, fmt.Errorf("header %q: %w", h[0], err)
		}
		name := textproto.CanonicalMIMEHeaderKey(h[0])
		r.Header[name] = append(r.Header[name], string(value))
	}
	return r, nil
}
