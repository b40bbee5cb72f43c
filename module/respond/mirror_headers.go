package respond

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
)

// rewrite makes the request to the target from that of the client. The proxy has removed the hop-by-hop headers.
func (m *mirror) rewrite(p *httputil.ProxyRequest, b *Blocked) {
	target := b.Target
	if target == "" {
		target = p.In.RequestURI
	}
	p.Out.URL = m.locate(target)
	p.Out.Host = ""
	p.Out.Trailer = nil
	h := p.Out.Header
	remove(h, mirrorHopByHop)
	remove(h, mirrorRequestStripped)
	for name := range h { //guard:all-headers One call for each name, in a request that holds a slot.
		if hasStrippedPrefix.MatchString(name) {
			delete(h, name)
		}
	}
	if b.Client != "" {
		h.Set(mirrorForwardedFor, b.Client)
	}
	h.Set(mirrorForwardedHost, p.In.Host)
	h.Set(mirrorForwardedProto, protocolOf(p.In))
	h.Set(mirrorReason, b.Reason)
	h.Set(mirrorLoopMark, mirrorLoopMarkValue)
}

func remove(h http.Header, names []string) {
	for _, name := range names {
		h.Del(name)
	}
}

// hasStrippedPrefix matches names with one of mirrorRequestStrippedPrefixes.
var hasStrippedPrefix = regexp.MustCompile("^(?i:" + strings.Join(mirrorRequestStrippedPrefixes, "|") + ")")

func protocolOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// locate returns the URL of a raw target at the honeypot. Path and query keep their bytes. Scheme and host are always
// those of the policy.
func (m *mirror) locate(target string) *url.URL {
	path, query, hasQuery := strings.Cut(originForm(target), "?")
	path = strings.TrimSuffix(m.target.EscapedPath(), "/") + path
	u := &url.URL{Scheme: m.target.Scheme, Host: m.target.Host, RawQuery: query, ForceQuery: hasQuery}
	if !strings.HasPrefix(path, "//") {
		u.Opaque = path
		return u
	}
	// Opaque would make this a host.
	u.Path, u.RawPath = path, path
	if decoded, err := url.PathUnescape(path); err == nil {
		u.Path = decoded
	}
	return u
}

// originForm removes the scheme and host of a target in absolute form (RFC 9112 3.2.2).
func originForm(target string) string {
	_, rest, isAbsolute := strings.Cut(target, "://")
	if strings.HasPrefix(target, "/") || !isAbsolute {
		return target
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		return "/"
	}
	if rest[end] == '?' {
		return "/" + rest[end:]
	}
	return rest[end:]
}

// edit makes the response to the client from that of the target.
func (m *mirror) edit(w http.ResponseWriter, res *http.Response) error {
	if res.StatusCode == http.StatusSwitchingProtocols {
		return errors.New("the target switches to a protocol that was not requested")
	}
	remove(res.Header, mirrorHopByHop)
	remove(res.Header, mirrorAnswerStripped)
	for name, value := range m.o.headers {
		res.Header[name] = []string{value}
	}
	for name, value := range blockedHeaders {
		res.Header[name] = []string{value}
	}
	for name := range res.Header { //guard:all-headers The honeypot sends them.
		w.Header().Del(name) // the proxy would add to an existing one, such as Server
	}
	return nil
}
