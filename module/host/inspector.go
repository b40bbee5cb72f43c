// Package host has the common parts of the guards of Caddy and Traefik: the order of evaluation, and the objects that a guard
// creates from its policy. It runs in Traefik's interpreter.
package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// ErrEngine is in the chain of an error that a panic of the engine caused. Other errors concern the request, or are ErrBusy.
var ErrEngine = errors.New("the guard's engine failed")

type Inspector struct {
	Policy  *policy.Policy
	Rules   *engine.RuleSet
	Captcha *respond.Captcha // nil: there are no passes (see Responder.Captcha)
	Slots   *Slots
	// Failed reports an error of the engine. It is called before the stack of the panic is unwound, so that it can log the stack.
	Failed func(q *engine.Request, err error)
	// Rejoin returns a body that reads from whole: the bytes already read, then the remainder of original. Its Close
	// closes original in Caddy and does nothing in Traefik.
	Rejoin func(whole io.Reader, original io.Closer) io.ReadCloser
}

// Decide evaluates the request. It repeats the evaluation without each rule for which the visitor has a pass: the
// cookie of a solved captcha.
func (i *Inspector) Decide(r *http.Request, q *engine.Request) (engine.Verdict, error) {
	v, err := i.decide(r, q)
	if i.Captcha == nil || err != nil || !v.Blocked {
		return v, err
	}
	client := ClientText(i.Rules, q)
	for err == nil && v.Blocked && len(q.Excused) < limits.CaptchaRules && i.Captcha.Excuses(r, client, v.Rule, v.Pattern) {
		q.Excused = append(q.Excused, v.Rule)
		v, err = i.decide(r, q)
	}
	return v, err
}

// decide evaluates the request. It reads the body once, if the body may change the verdict.
func (i *Inspector) decide(r *http.Request, q *engine.Request) (engine.Verdict, error) {
	v, err := i.evaluate(r, q)
	if err != nil || !i.Rules.ReadsBodies() || q.Body != nil || !hasBody(r) || !i.Rules.WantsBody(q, v) {
		return v, err
	}
	body, err := i.bodyPrefix(r)
	if err != nil {
		return engine.Verdict{}, err
	}
	if len(body) == 0 {
		return v, nil
	}
	q.Body = body
	return i.evaluate(r, q)
}

func (i *Inspector) evaluate(r *http.Request, q *engine.Request) (v engine.Verdict, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: %v", ErrEngine, fault)
			i.Failed(q, err)
		}
	}()
	if i.isLong(q) {
		if err := i.Slots.Acquire(r.Context()); err != nil {
			return v, err
		}
		defer i.Slots.Release()
	}
	return i.Rules.Evaluate(q), nil
}

// hasBody reports whether the request has a readable body. The bytes of a tunnel may never arrive.
func hasBody(r *http.Request) bool {
	return r.Body != nil && r.Body != http.NoBody && r.Method != http.MethodConnect
}

// bodyPrefix reads the inspected part of the body and one more byte, and restores the body for the next handler.
func (i *Inspector) bodyPrefix(r *http.Request) ([]byte, error) {
	prefix, err := readAll(io.LimitReader(r.Body, int64(i.Policy.MaxBodyBytes)+1), r.ContentLength)
	if err != nil {
		return nil, err
	}
	r.Body = i.Rejoin(io.MultiReader(bytes.NewReader(prefix), r.Body), r.Body)
	return prefix, nil
}

// readAll reads to the end. It reads a short body of announced length into one buffer, and a longer one into a buffer that grows:
// a client can announce more than it sends.
func readAll(body io.Reader, announced int64) ([]byte, error) {
	if announced <= 0 || announced > limits.QueryBytes {
		return io.ReadAll(body)
	}
	buffer := bytes.NewBuffer(make([]byte, 0, announced+bytes.MinRead)) // ReadFrom needs room to find the end
	_, err := buffer.ReadFrom(body)
	return buffer.Bytes(), err
}
