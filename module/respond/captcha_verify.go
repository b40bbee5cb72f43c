package respond

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

type verifier struct {
	captcha              *policy.Captcha
	url                  string
	comparesHost         bool
	client               *http.Client
	report               func(message string)
	isDown               atomic.Bool
	hasReportedOtherHost atomic.Bool // a solution for another host was already reported
}

// solution is the token that a visitor posts, with the values that it is verified with.
type solution struct {
	token  string
	client string // address of the client; empty if it has none
	host   string // host of the request, as in visit
}

// providerClient serves all policies: a client for each would leave connections open after a reload. It follows no redirects.
var providerClient = &http.Client{
	Timeout:       limits.CaptchaVerifySeconds * time.Second,
	CheckRedirect: func(_ *http.Request, _ []*http.Request) error { return http.ErrUseLastResponse },
}

func newVerifier(captcha *policy.Captcha, provider captchaProvider, report func(string)) *verifier {
	url := provider.verifyURL
	if captcha.VerifyURL != "" {
		url = captcha.VerifyURL
	}
	comparesHost := provider.comparesHost
	for _, key := range provider.testKeys {
		comparesHost = comparesHost && key != captcha.SiteKey
	}
	if report == nil {
		report = func(_ string) {}
	}
	return &verifier{captcha: captcha, url: url, comparesHost: comparesHost, client: providerClient, report: report}
}

// verify accepts only an unambiguous success. It reports a failing provider once, and again only if
// the provider has responded in between.
func (v *verifier) verify(ctx context.Context, s solution) bool {
	isSolved, err := v.ask(ctx, s)
	if err == nil {
		v.isDown.Store(false)
	} else if ctx.Err() == nil && !v.isDown.Swap(true) {
		v.report("captcha solutions cannot be verified, so no visitor passes: " + err.Error())
	}
	return isSolved
}

// providerAnswer has the keys of the response that the guard uses. Only some providers send the last three.
type providerAnswer struct {
	success  bool
	errors   []string
	hostname string
	action   string
	score    float64
}

func (v *verifier) ask(ctx context.Context, s solution) (isSolved bool, err error) {
	form := url.Values{"secret": {v.captcha.SecretKey}, "response": {s.token}}
	if s.client != "" {
		form.Set("remoteip", s.client)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url, strings.NewReader(form.Encode()))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := v.client.Do(r)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, limits.CaptchaAnswerBytes+1))
	if err != nil {
		return false, err
	}
	answer, err := parseAnswer(res.StatusCode, text)
	if err != nil || !answer.success {
		return false, err
	}
	return v.meetsConditions(answer, s.host), nil
}

func parseAnswer(status int, text []byte) (providerAnswer, error) {
	var answer providerAnswer
	if status != http.StatusOK {
		return answer, fmt.Errorf("the provider responded with status %d", status)
	}
	if len(text) > limits.CaptchaAnswerBytes || unmarshalExactly(text, &answer) != nil {
		return answer, errors.New("the response of the provider is not what its documentation says")
	}
	for _, code := range answer.errors {
		if strings.HasSuffix(code, "-input-secret") {
			return answer, errors.New("the provider refuses secretKey")
		}
	}
	return answer, nil
}

// unmarshalExactly matches the exact names of members. encoding/json would also parse SUCCESS into a struct field.
func unmarshalExactly(text []byte, answer *providerAnswer) error {
	var members map[string]json.RawMessage
	err := json.Unmarshal(text, &members)
	for name, value := range map[string]any{
		"success": &answer.success, "error-codes": &answer.errors, "hostname": &answer.hostname,
		"action": &answer.action, "score": &answer.score,
	} {
		if member, has := members[name]; has && err == nil {
			err = json.Unmarshal(member, value)
		}
	}
	return err
}

// meetsConditions reports whether a challenge was solved on the host, for the action and with the score that the policy
// requires.
func (v *verifier) meetsConditions(answer providerAnswer, host string) bool {
	if !v.isHost(strings.ToLower(answer.hostname), host) {
		if !v.hasReportedOtherHost.Swap(true) {
			v.report("a captcha was solved on another host than that of the request, so the visitor does not pass: where the guard " +
				"gets another Host header than the browser sends, set hostnames")
		}
		return false
	}
	captcha := v.captcha
	if captcha.Action != "" && answer.action != captcha.Action {
		return false
	}
	return captcha.MinScorePercent == 0 || answer.score >= float64(captcha.MinScorePercent)/100
}

// isHost compares the host of a solution with the hosts of the policy or, without them, with the host of the request.
func (v *verifier) isHost(name, host string) bool {
	if len(v.captcha.Hostnames) == 0 {
		return !v.comparesHost || name == "" || name == host
	}
	for _, hostname := range v.captcha.Hostnames {
		if strings.ToLower(hostname) == name {
			return true
		}
	}
	return false
}

// captchaProvider is the documented interface of a captcha provider: contract/policy/captcha.ts.
type captchaProvider struct {
	name                  string
	widgetClass           string
	tokenField            string
	scriptURL             string
	verifyURL             string
	contentSecurityPolicy string
	comparesHost          bool // if the policy has no hostnames, a solution that names another host fails
	testKeys              []string
}
