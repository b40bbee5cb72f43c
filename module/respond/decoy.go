package respond

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// decoy is the response for some paths. match is a regular expression for these paths. contract/policy/decoys.ts lists the
// placeholders of text.
type decoy struct {
	name, match, contentType, text string
}

// fakeSuccessMode responds as if the requested file existed.
func fakeSuccessMode(o *options) Answer {
	if o.response.Body != nil {
		return customSuccess(o)
	}
	matches := make([]*regexp.Regexp, len(decoys))
	for i, d := range decoys {
		matches[i] = regexp.MustCompile(d.match)
	}
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		for i, match := range matches {
			if d := &decoys[i]; match.MatchString(b.Path) {
				o.send(w, r, b, firstNonEmpty(o.response.ContentType, d.contentType), d.expand(o.secret, r.Host, b))
				return
			}
		}
	}
}

const customSuccessType = "text/plain; charset=utf-8"

func customSuccess(o *options) Answer {
	contentType := firstNonEmpty(o.response.ContentType, customSuccessType)
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		o.send(w, r, b, contentType, *o.response.Body)
	}
}

func firstNonEmpty(chosen, otherwise string) string {
	if chosen != "" {
		return chosen
	}
	return otherwise
}

var placeholder = regexp.MustCompile(`\[\[([a-z0-9]+)(?::([0-9]+):([a-z0-9-]+))?\]\]`)

func (d *decoy) expand(secret []byte, host string, b *Blocked) string {
	own := map[string]string{"host": plainHost(host), "address": b.Client, "path": b.Path}
	return placeholder.ReplaceAllStringFunc(d.text, func(whole string) string {
		parts := placeholder.FindStringSubmatch(whole)
		if parts[2] == "" {
			return d.escape(own[parts[1]])
		}
		n, _ := strconv.Atoi(parts[2])
		return derive(secret, b.Client, parts[3], parts[1], n)
	})
}

// escape escapes values of the request in decoys of type HTML. The other types of decoys are not markup.
func (d *decoy) escape(value string) string {
	if strings.HasPrefix(d.contentType, "text/html") {
		return html.EscapeString(value)
	}
	return value
}

const maxHostBytes = 253 // maximum bytes of a name in text form, RFC 1035 2.3.4

// plainHost returns the host of the request if it has only characters of names, addresses and ports. Otherwise it
// returns localhost.
func plainHost(host string) string {
	if host == "" || len(host) > maxHostBytes || strings.IndexFunc(host, foreignToHosts) >= 0 {
		return "localhost"
	}
	return host
}

func foreignToHosts(c rune) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return !letter && !strings.ContainsRune(".-:[]", c)
}

// derive returns n characters that look random without the secret. They depend on the client's address and the label, so an
// operator can find the client that received a leaked value.
func derive(secret []byte, address, label, alphabet string, n int) string {
	characters := alphabets[alphabet]
	out := make([]byte, 0, n+sha256.Size)
	for block := uint32(0); len(out) < n; block++ {
		for _, b := range digest(secret, address, label, block) {
			out = append(out, characters[int(b)%len(characters)])
		}
	}
	return string(out[:n])
}

// digest returns HMAC-SHA-256 over the parts, each ended by a zero byte, and the block number.
func digest(secret []byte, address, label string, block uint32) []byte {
	mac := hmac.New(sha256.New, secret)
	for _, part := range []string{"decoy", address, label} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], block)
	mac.Write(number[:])
	return mac.Sum(nil)
}
