package policy

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

func (p place) response(f *ResponseFile) Response {
	if f == nil {
		f = &ResponseFile{}
	}
	at := p.inside("response")
	r := Response{
		Mode:                     at.text("mode", f.Mode),
		StatusCode:               at.number("status_code", f.StatusCode),
		Body:                     f.Body,
		ContentType:              at.text("content_type", f.ContentType, noControl),
		Headers:                  at.headers(f.Headers),
		RedirectURL:              at.text("redirect_url", f.RedirectURL, redirectTarget),
		ProxyURL:                 at.text("proxy_url", f.ProxyURL, webAddress),
		GzipBombMB:               at.number("gzip_bomb_mb", f.GzipBombMB),
		RetryAfterSeconds:        at.number("retry_after_seconds", f.RetryAfterSeconds),
		TarpitDelayMS:            at.number("tarpit_delay_ms", f.TarpitDelayMS),
		TarpitMaxDurationSeconds: at.number("tarpit_max_duration_seconds", f.TarpitMaxDurationSeconds),
		StreamSizeMB:             at.number("stream_size_mb", f.StreamSizeMB),
		MaxResponseSeconds:       at.number("max_response_seconds", f.MaxResponseSeconds),
		Captcha:                  at.captcha(f.Captcha),
		MaxHeld:                  at.number("max_held", f.MaxHeld),
		MaxHeldPerAddress:        at.number("max_held_per_address", f.MaxHeldPerAddress),
	}
	at.text("body", f.Body)
	at.ofMode(&r, f)
	return r
}

// ofMode checks the combination of the keys, and fills in what depends on the mode.
func (p place) ofMode(r *Response, f *ResponseFile) {
	m, ok := ModeOf(r.Mode)
	if !ok {
		return // reported as an invalid choice
	}
	if f.StatusCode == nil {
		r.StatusCode = m.StatusCode
	} else if !m.carries(r.StatusCode) {
		p.report(BadValue, "status_code", "expected "+m.statuses()+" for mode "+m.Name)
	}
	if f.ContentType == nil {
		r.ContentType = m.ContentType
	}
	if m.Name == "proxy" && f.ProxyURL == nil {
		p.report(MissingKey, "proxy_url", "mode proxy needs proxy_url")
	}
	if m.Name == "captcha" && f.Captcha == nil {
		p.report(MissingKey, "captcha", "mode captcha needs captcha")
	}
}

// statuses describes the values that carries accepts.
func (m Mode) statuses() string {
	if len(m.StatusCodes) > 0 {
		return "one of " + numbers(m.StatusCodes)
	}
	return "a status that has a body, not " + numbers(bodilessStatuses)
}

func numbers(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

func (p place) headers(headers map[string]string) map[string]string {
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	sort.Strings(names)
	seen := map[string]bool{}
	for _, name := range names {
		p.header(name, headers[name], seen[strings.ToLower(name)])
		seen[strings.ToLower(name)] = true
	}
	return headers
}

// header checks a response header. Header names are case-insensitive.
func (p place) header(name, value string, isRepeated bool) {
	at := headerPath(name)
	p.examine(at, p.field("headers.*"), value, nil)
	switch {
	case !token.MatchString(name):
		p.report(BadValue, at, "expected a header name (RFC 9110 token)")
	case has(framingHeaders, strings.ToLower(name)):
		p.report(BadValue, at, name+" is set by the proxy alone")
	case hasControl(value):
		p.report(BadValue, at, "expected a header value without control characters")
	case isRepeated:
		p.report(Conflict, at, name+" is set twice: header names are case-insensitive")
	}
}

var plainKey = regexp.MustCompile(`^[$A-Za-z_][\w$-]*$`)

func headerPath(name string) string {
	if plainKey.MatchString(name) && len(name) <= longestQuote {
		return "headers." + name
	}
	return "headers[" + quoted(name) + "]"
}

func (p place) captcha(f *CaptchaFile) *Captcha {
	if f == nil {
		return nil
	}
	at := p.inside("captcha")
	return &Captcha{
		Provider:    at.text("provider", f.Provider),
		SiteKey:     at.text("site_key", f.SiteKey),
		SecretKey:   at.secret("secret_key", f.SecretKey),
		PassMinutes: at.number("pass_minutes", f.PassMinutes),
		Title:       at.text("title", f.Title),
		VerifyURL:   at.text("verify_url", f.VerifyURL, webAddress),
	}
}
