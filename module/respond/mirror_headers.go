package respond

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// rewriteRequest makes the request to the target from the client's request. The proxy has removed the hop-by-hop headers.
func (m *mirror) rewriteRequest(p *httputil.ProxyRequest, b *Blocked) {
	target := b.Target
	if target == "" {
		target = p.In.RequestURI
	}
	p.Out.URL = m.targetURL(target)
	p.Out.Host = ""
	p.Out.Trailer = nil
	h := p.Out.Header
	strip(h, strippedFromRequest)
	if b.Client != "" {
		h.Set(mirrorForwardedFor, b.Client)
	}
	h.Set(mirrorForwardedHost, p.In.Host)
	h.Set(mirrorForwardedProto, protocolOf(p.In))
	h.Set(mirrorReason, b.Reason)
	h.Set(mirrorLoopMark, mirrorLoopMarkValue)
}

var (
	strippedFromRequest = compileStripping(mirrorRequestStripped)
	strippedFromAnswer  = compileStripping(mirrorAnswerStripped)
)

// stripMark marks the line of a name that is stripped. Names of headers contain neither this byte nor line breaks or tabs.
const stripMark = "\x00"

// compileStripping returns a replacer that marks the names that rows of stripped-headers.json strip. Each name in its text is
// between a line break and a tab.
func compileStripping(rows []string) *strings.Replacer {
	var changes []string
	for _, row := range append(rows, mirrorHopByHop...) {
		form := strings.Trim(row, "*")
		switch {
		case strings.HasPrefix(row, "*"):
			changes = append(changes, "\n"+form, "\n"+stripMark, "-"+form, stripMark)
		case strings.HasSuffix(row, "*"):
			changes = append(changes, "\n"+form, "\n"+stripMark)
		default:
			changes = append(changes, "\n"+form+"\t", "\n"+stripMark)
		}
	}
	return strings.NewReplacer(changes...)
}

// strip removes the headers that rows name. It compares all names in one call, because a client may send 100,000
// names, and Traefik interprets each step.
func strip(h http.Header, rows *strings.Replacer) {
	names := make([]string, 0, len(h))
	for name := range h { //guard:all-headers See above.
		names = append(names, name)
	}
	text := strings.ReplaceAll(strings.ToLower(strings.Join(names, "\t\n")), "_", "-")
	for i, line := range strings.Split(rows.Replace("\n"+text+"\t"), "\n")[1:] {
		if strings.Contains(line, stripMark) {
			delete(h, names[i])
		}
	}
}

func protocolOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// targetURL returns the URL of a raw target at the honeypot. In a path that begins with //, bytes
// that a path must not contain are escaped. All other bytes of path and query stay unchanged.
func (m *mirror) targetURL(target string) *url.URL {
	path, query, hasQuery := strings.Cut(originForm(target), "?")
	path = strings.TrimSuffix(m.target.EscapedPath(), "/") + path
	u := &url.URL{Scheme: m.target.Scheme, Host: m.target.Host, RawQuery: query, ForceQuery: hasQuery}
	if !strings.HasPrefix(path, "//") {
		u.Opaque = path
		return u
	}
	// net/http would read an Opaque that begins with // as a host.
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

// editResponse makes the response to the client from the target's response.
func (m *mirror) editResponse(w http.ResponseWriter, res *http.Response) error {
	if res.StatusCode < http.StatusOK { // not a final status; net/http panics if it is below 100
		return fmt.Errorf("the target sent status %03d as its final one", res.StatusCode)
	}
	strip(res.Header, strippedFromAnswer)
	res.Header.Set("Content-Security-Policy", mirrorContentSecurityPolicy)
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
