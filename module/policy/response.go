package policy

import (
	"fmt"
	"sort"
	"strings"
)

// checkResponse checks combinations of keys, and fills in values that depend on the mode. at is the path of the response.
func (p *problems) checkResponse(at string, r *Response) {
	p.checkHeaders(at, r.Headers)
	if r.Captcha != nil {
		p.checkCaptcha(r.Captcha)
	}
	m, ok := ModeOf(r.Mode)
	if !ok {
		return // an invalid mode was already reported
	}
	if r.StatusCode == 0 {
		r.StatusCode = m.StatusCode
	} else if !m.allowsStatus(r.StatusCode) {
		p.add(BadValue, at+".status_code", "expected "+m.allowedStatuses()+" for mode "+m.Name)
	}
	if r.ContentType == "" {
		r.ContentType = m.ContentType
	}
	if m.Name == "proxy" && r.ProxyURL == "" {
		p.add(MissingKey, at+".proxy_url", "mode proxy needs proxy_url")
	}
	if m.Name == "captcha" && at == "response" && r.Captcha == nil { // a ban list refuses the mode
		p.add(MissingKey, at+".captcha", "mode captcha needs captcha")
	}
}

func (p *problems) checkCaptcha(c *Captcha) {
	isSet := map[string]bool{"action": c.Action != "", "min_score_percent": c.MinScorePercent != 0}
	for _, k := range captchaKeys {
		isProvider := has(fieldsByKey["response.captcha.provider"].Choices, c.Provider)
		if isSet[k.Key] && isProvider && !has(k.Providers, c.Provider) {
			p.add(BadValue, "response.captcha."+k.Key, "no response of "+c.Provider+" has it to compare; remove it, or use one of "+strings.Join(k.Providers, ", "))
		}
	}
}

func (m Mode) allowedStatuses() string {
	if len(m.StatusCodes) > 0 {
		return "one of " + joinNumbers(m.StatusCodes)
	}
	return "a status that has a body, not " + joinNumbers(bodilessStatuses)
}

func joinNumbers(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

func (p *problems) checkHeaders(at string, headers map[string]string) {
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	sort.Strings(names)
	seen := map[string]bool{}
	for _, name := range names {
		p.checkHeader(childPath(at+".headers", name), name, headers[name], seen[strings.ToLower(name)])
		seen[strings.ToLower(name)] = true
	}
}

func (p *problems) checkHeader(at, name, value string, isRepeated bool) {
	switch {
	case name == "__proto__": // guardcli cannot read it: see contract/load/check.ts
		p.add(UnknownKey, at, `no key can be "__proto__"`)
	case !headerToken.MatchString(name):
		p.add(BadValue, at, "expected a header name (RFC 9110 token)")
	case has(framingHeaders, strings.ToLower(name)):
		p.add(BadValue, at, name+" is set by the proxy alone")
	case hasControl(value):
		p.add(BadValue, at, "expected a header value without control characters")
	case isRepeated:
		p.add(Conflict, at, name+" is set twice: header names are case-insensitive")
	}
}
