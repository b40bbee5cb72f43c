package respond

import (
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// decoy is the response for the paths that match. contract/policy/decoys.ts lists the placeholders of its text.
type decoy struct {
	name, match, contentType, text string
}

type compiledDecoy struct {
	decoy
	regex *regexp.Regexp
}

func compileDecoys() []compiledDecoy {
	compiled := make([]compiledDecoy, 0, len(decoys))
	for _, d := range decoys {
		compiled = append(compiled, compiledDecoy{decoy: d, regex: regexp.MustCompile(d.match)})
	}
	return compiled
}

// fakeSuccessMode responds as if the requested file existed.
func fakeSuccessMode(o *options) Answer {
	if o.response.Body != nil {
		return customSuccess(o)
	}
	rows := compileDecoys()
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		for _, row := range rows {
			if row.regex.MatchString(b.Path) {
				o.send(w, r, b, firstNonEmpty(o.response.ContentType, row.contentType), row.expand(o.secret, r.Host, b))
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

// escape escapes values of the request for HTML and XML. Decoys of other types contain no values that could be markup.
func (d *decoy) escape(value string) string {
	if strings.HasPrefix(d.contentType, "text/html") {
		return html.EscapeString(value)
	}
	return value
}

const maxHostBytes = 253 // maximum bytes of a name in text form, RFC 1035 2.3.4

// plainHost returns the host of the request if it has only characters of names, addresses and ports.
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
