package respond

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/policy"
)

// captchaTest has one of six forms, distinguished by the fields that are set.
type captchaTest struct {
	vectors.Named
	Now    int64
	Client string
	Host   string
	Rule   string
	Target *string
	State  string
	Opens  *struct {
		Rule, Target string
		Fresh        bool
	}
	PassMinutes int
	Cookie      string
	Excuses     *bool
	Of          *struct{ ID, Pattern string }
	Answer      string
	Solved      bool
}

func TestVectors(t *testing.T) {
	for _, group := range vectors.Read[captchaTest](t, "captcha", "captcha-signed", "captcha-compared") {
		for _, test := range group.Tests {
			captcha := captchaOf(t, group, test.PassMinutes)
			t.Run(test.ID, func(t *testing.T) {
				if test.Answer != "" {
					checkCompared(t, captcha, &test)
				} else {
					checkSigned(t, newSigner([]byte(group.Secret), captcha, captchaProviders[captcha.Provider].name), &test)
				}
			})
		}
	}
}

// captchaOf returns the captcha of the group's policy, with the passMinutes of the test if it has them.
func captchaOf(t *testing.T, group vectors.Group[captchaTest], passMinutes int) *policy.Captcha {
	t.Helper()
	captcha := struct {
		Provider, SiteKey, VerifyURL, Action string
		Hostnames                            []string
		PassMinutes, MinScorePercent         int
	}{}
	if err := json.Unmarshal(group.Captcha, &captcha); err != nil {
		t.Fatal(err)
	}
	if passMinutes > 0 {
		captcha.PassMinutes = passMinutes
	}
	return &policy.Captcha{
		Provider: captcha.Provider, SiteKey: captcha.SiteKey, PassMinutes: captcha.PassMinutes, VerifyURL: captcha.VerifyURL,
		Hostnames: captcha.Hostnames, Action: captcha.Action, MinScorePercent: captcha.MinScorePercent,
	}
}

func checkCompared(t *testing.T, captcha *policy.Captcha, test *captchaTest) {
	answer, err := parseAnswer(http.StatusOK, []byte(test.Answer))
	if err != nil {
		t.Fatal(err)
	}
	v := newVerifier(captcha, captchaProviders[captcha.Provider], nil)
	if got := answer.success && v.meetsConditions(answer, test.Host); got != test.Solved {
		t.Errorf("%s: got %v", test.Description, got)
	}
}

func checkSigned(t *testing.T, s signer, test *captchaTest) {
	v := newVisit(test.Client, test.Host)
	switch {
	case test.Of != nil:
		if got := ruleOf(test.Of.ID, test.Of.Pattern); got != test.Rule {
			t.Errorf("%s: got %s, want %s", test.Description, got, test.Rule)
		}
	case test.Target != nil:
		if got := s.seal(test.Now, v, challenge{rule: test.Rule, target: returnPath(*test.Target)}); got != test.State {
			t.Errorf("%s: got %s, want %s", test.Description, got, test.State)
		}
	case test.Opens != nil:
		got, isFresh := s.open(test.State, test.Now, v)
		if got.rule != test.Opens.Rule || got.target != test.Opens.Target || isFresh != test.Opens.Fresh {
			t.Errorf("%s: got %+v %v, want %+v", test.Description, got, isFresh, *test.Opens)
		}
	case test.Excuses != nil:
		c := Captcha{signer: s, now: func() time.Time { return time.Unix(test.Now, 0) }}
		r := &http.Request{Host: test.Host, Header: http.Header{"Cookie": {test.Cookie}}}
		if got := c.hasPass(r, test.Client, test.Rule); got != *test.Excuses {
			t.Errorf("%s: got %v", test.Description, got)
		}
	default:
		c := Captcha{signer: s, now: func() time.Time { return time.Unix(test.Now, 0) }}
		cookie, _, _ := strings.Cut(c.cookie(v, test.Rule, false), ";")
		if cookie != test.Cookie {
			t.Errorf("%s: got %s, want %s", test.Description, cookie, test.Cookie)
		}
	}
}
