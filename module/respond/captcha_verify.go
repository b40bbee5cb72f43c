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

// verifier verifies at a provider whether a token solves a challenge.
type verifier struct {
	key, url string
	client   *http.Client
	report   func(message string)
	isDown   atomic.Bool
}

// providers is shared by all policies, so that a reload leaves no connections open. It follows no redirects.
var providers = &http.Client{
	Timeout:       limits.CaptchaVerifySeconds * time.Second,
	CheckRedirect: func(_ *http.Request, _ []*http.Request) error { return http.ErrUseLastResponse },
}

func newVerifier(captcha *policy.Captcha, url string, report func(string)) *verifier {
	if captcha.VerifyURL != "" {
		url = captcha.VerifyURL
	}
	if report == nil {
		report = func(_ string) {}
	}
	return &verifier{key: captcha.SecretKey, url: url, client: providers, report: report}
}

// verify accepts only an unambiguous success; in all other cases the visitor gets no pass. A provider that fails is
// reported once, until it responds again.
func (v *verifier) verify(ctx context.Context, token, client string) bool {
	isSolved, err := v.ask(ctx, token, client)
	if err == nil {
		v.isDown.Store(false)
	} else if ctx.Err() == nil && !v.isDown.Swap(true) {
		v.report("captcha solutions cannot be verified, so no visitor passes: " + err.Error())
	}
	return isSolved
}

// providerAnswer is the part of the response that all three providers have.
type providerAnswer struct {
	Success bool     `json:"success"`
	Errors  []string `json:"error-codes"`
}

func (v *verifier) ask(ctx context.Context, token, client string) (isSolved bool, err error) {
	form := url.Values{"secret": {v.key}, "response": {token}}
	if client != "" {
		form.Set("remoteip", client)
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
	return read(res.StatusCode, text)
}

func read(status int, text []byte) (isSolved bool, err error) {
	var answer providerAnswer
	if status != http.StatusOK {
		return false, fmt.Errorf("the provider responded with status %d", status)
	}
	if len(text) > limits.CaptchaAnswerBytes || json.Unmarshal(text, &answer) != nil {
		return false, errors.New("the response of the provider is not what its documentation says")
	}
	for _, code := range answer.Errors {
		if strings.HasSuffix(code, "-input-secret") {
			return false, errors.New("the provider refuses secretKey")
		}
	}
	return answer.Success, nil
}
