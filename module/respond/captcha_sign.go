package respond

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/request-guard/guard/limits"
)

// challenge is the reason why a visitor was blocked.
type challenge struct {
	rule   string // of ruleOf; empty: unknown, because the state of the visitor is not valid
	target string // a path of the same origin
}

// ruleOf names a rule in states and passes by its id and pattern. Ids such as block[0] are places in a list: another policy
// has another pattern there, and so does this one when its list changes. A limit has no id, and the result is empty.
func ruleOf(id, pattern string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(pattern))
	return id + " " + hex.EncodeToString(sum[:])
}

// signer signs the states and passes that visitors carry, with the policy's secret.
type signer []byte

// mac signs a text for one purpose.
func (s signer) mac(label, text string) string {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte(label))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s signer) isMac(mac, label, text string) bool {
	return hmac.Equal([]byte(mac), []byte(s.mac(label, text)))
}

// seal makes the state of a page. It binds the solution to the visitor and to a time.
func (s signer) seal(now int64, v visit, c challenge) string {
	expiry := strconv.FormatInt(now+limits.CaptchaStateSeconds, 10)
	payload := strings.Join([]string{captchaStateVersion, expiry, v.network, v.host, c.rule, c.target}, "\n")
	return base64.RawURLEncoding.EncodeToString([]byte(payload)) + "." + s.mac(captchaStateLabel, payload)
}

const stateFields = 6

// open reads a state of this visitor. An expired state still contains the challenge.
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
	expiry, err := strconv.ParseInt(fields[1], 10, 64)
	return challenge{rule: fields[4], target: fields[5]}, err == nil && now < expiry
}

const passDigits = 8 // bytes of the hash in a cookie's name

// passName is the name of the cookie with the pass of a rule.
func passName(rule string) string {
	sum := sha256.Sum256([]byte(rule))
	return captchaCookiePrefix + hex.EncodeToString(sum[:passDigits])
}

// pass makes the value of the cookie that excuses a rule.
func (s signer) pass(expiry int64, v visit, rule string) string {
	until := strconv.FormatInt(expiry, 10)
	return until + "." + s.mac(captchaPassLabel, passText(until, v, rule))
}

func (s signer) isPass(value string, now int64, v visit, rule string) bool {
	until, mac, _ := strings.Cut(value, ".")
	if !s.isMac(mac, captchaPassLabel, passText(until, v, rule)) {
		return false
	}
	expiry, err := strconv.ParseInt(until, 10, 64)
	return err == nil && now < expiry
}

func passText(until string, v visit, rule string) string {
	return strings.Join([]string{until, v.network, v.host, rule}, "\n")
}
