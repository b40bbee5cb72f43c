package respond

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// challenge is the reason why a visitor was blocked.
type challenge struct {
	rule   string // result of ruleOf; empty if unknown, because the state is invalid
	target string // a path of the same origin
}

// ruleOf identifies a rule by id and pattern, because block[0] is another rule after a change. It is empty for a limit.
func ruleOf(id, pattern string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(pattern))
	return id + " " + hex.EncodeToString(sum[:])
}

type signer struct {
	key         []byte
	passSeconds int64 // validity of a new pass in seconds
}

// newSigner derives a key from the secret and from all settings that decide how a challenge is solved.
func newSigner(secret []byte, captcha *policy.Captcha, provider string) signer {
	conditions := []string{
		provider, captcha.SiteKey, strconv.Itoa(captcha.PassMinutes), captcha.VerifyURL, strings.Join(captcha.Hostnames, ","),
		captcha.Action, strconv.Itoa(captcha.MinScorePercent),
	}
	key := keyedHash(secret, captchaPolicyLabel, strings.Join(conditions, "\x00"))
	return signer{key: key, passSeconds: int64(captcha.PassMinutes) * 60}
}

func keyedHash(key []byte, label, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(label))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// mac signs a text. label separates the purposes of signatures.
func (s signer) mac(label, text string) string {
	return base64.RawURLEncoding.EncodeToString(keyedHash(s.key, label, text))
}

func (s signer) isMac(mac, label, text string) bool {
	return hmac.Equal([]byte(mac), []byte(s.mac(label, text)))
}

// seal returns the state of a page. It binds the solution to the visitor and to a time.
func (s signer) seal(now int64, v visit, c challenge) string {
	expiry := strconv.FormatInt(now+limits.CaptchaStateSeconds, 10)
	payload := strings.Join([]string{captchaStateVersion, expiry, v.network, v.host, c.rule, c.target}, "\n")
	return base64.RawURLEncoding.EncodeToString([]byte(payload)) + "." + s.mac(captchaStateLabel, payload)
}

const stateFields = 6

// open returns the challenge in a state of this visitor, and whether the state has not expired. For an invalid state,
// it returns a challenge without a rule, whose target is /.
func (s signer) open(state string, now int64, v visit) (c challenge, isFresh bool) {
	unknown := challenge{target: "/"}
	encoded, mac, _ := strings.Cut(state, ".")
	payload, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || !s.isMac(mac, captchaStateLabel, string(payload)) {
		return unknown, false
	}
	fields := strings.Split(string(payload), "\n")
	if len(fields) != stateFields || fields[0] != captchaStateVersion || fields[2] != v.network || fields[3] != v.host {
		return unknown, false
	}
	isFresh = isValidExpiry(fields[1], now, limits.CaptchaStateSeconds)
	return challenge{rule: fields[4], target: fields[5]}, isFresh
}

// isValidExpiry reports whether an expiry is in the future, and at most limits.CaptchaClockSeconds later than that of a new
// state or pass.
func isValidExpiry(expiry string, now, validity int64) bool {
	until, err := strconv.ParseInt(expiry, 10, 64)
	return err == nil && now < until && until <= now+validity+limits.CaptchaClockSeconds
}

const passNameHashBytes = 8 // bytes of the hash in the name of the cookie of a pass

// passName returns the name of the cookie with the pass for a rule. Policies whose
// captchas have different settings use different names.
func (s signer) passName(rule string) string {
	return captchaCookiePrefix + hex.EncodeToString(keyedHash(s.key, captchaNameLabel, rule)[:passNameHashBytes])
}

func (s signer) pass(now int64, v visit, rule string) string {
	until := strconv.FormatInt(now+s.passSeconds, 10)
	return until + "." + s.mac(captchaPassLabel, passText(until, v, rule))
}

func (s signer) isPass(value string, now int64, v visit, rule string) bool {
	until, mac, _ := strings.Cut(value, ".")
	return s.isMac(mac, captchaPassLabel, passText(until, v, rule)) && isValidExpiry(until, now, s.passSeconds)
}

func passText(until string, v visit, rule string) string {
	return strings.Join([]string{until, v.network, v.host, rule}, "\n")
}
