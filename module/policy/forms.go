package policy

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/pattern"
)

var (
	headerToken = regexp.MustCompile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$") // RFC 9110 5.6.2
	environment = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)
	// webURL refuses user information, which disguises the host, and backslashes, which browsers read as slashes.
	webURL       = regexp.MustCompile(`^(?i:https?)://(?:[A-Za-z0-9._~-]+|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?(?:[/?#][\x21-\x5b\x5d-\x7e]*)?$`)
	rootRelative = regexp.MustCompile(`^/(?:[\x21-\x2e\x30-\x5b\x5d-\x7e][\x21-\x5b\x5d-\x7e]*)?$`)
)

const largestPort = 65535

// checks has further checks of single texts, by key.
var checks = map[string]func(text string) (kind, message string){
	"security_log_file":           checkNoControl,
	"block_patterns[]":            checkRegex,
	"allow_patterns[]":            checkRegex,
	"rules[].pattern":             checkRegex,
	"rules[].targets[]":           checkRuleTarget,
	"exceptions[].path":           checkRegex,
	"exceptions[].clients[]":      checkClientNetwork,
	"allowed_ips[]":               checkClientNetwork,
	"trusted_proxies[]":           checkNetwork,
	"ban_list.file":               checkNoControl,
	"check_headers[]":             checkInspectedHeader,
	"response.content_type":       checkNoControl,
	"response.redirect_url":       checkRedirectTarget,
	"response.proxy_url":          checkWebURL,
	"response.captcha.verify_url": checkWebURL,

	"ban_list.response.content_type": checkNoControl,
	"ban_list.response.redirect_url": checkRedirectTarget,
	"ban_list.response.proxy_url":    checkWebURL,
}

// formNames describes the texts that field.Form accepts, for messages, by key.
var formNames = map[string]string{
	"rules[].id":                   "lower-case words joined by - _ or .",
	"rules[].targets[]":            "path, query, body or header:<name>",
	"exceptions[].hosts[]":         "a host name, or *.suffix",
	"applications[].hosts[]":       "a host name, or *.suffix",
	"applications[].base_path":     "a path of letters, digits and . _ ~ -, such as /git",
	"methods[]":                    `an HTTP method, or "*" for all`,
	"allow_upgrades[]":             "a protocol of an Upgrade header, such as websocket or SPDY/3.1",
	"response.captcha.hostnames[]": "a host name",
	"response.captcha.action":      "letters, digits, _ or -",
}

// networkKeys has the keys whose texts are parsed as netip.Prefix.
var networkKeys = map[string]bool{"allowed_ips[]": true, "trusted_proxies[]": true, "exceptions[].clients[]": true}

// maskedNetwork returns a network in the form of netip. It returns "" for a malformed network, which checkNetwork
// reports.
func maskedNetwork(text string) string {
	if findPreset(text) != nil {
		return text
	}
	n, ok := address.ParseNetwork(text)
	if !ok {
		return ""
	}
	return n.String()
}

func checkRegex(text string) (kind, message string) {
	if err := pattern.Check(text); err != nil {
		return BadRegex, err.Error()
	}
	return "", ""
}

// checkClientNetwork refuses networks whose owner lets anyone send requests through them.
func checkClientNetwork(text string) (kind, message string) {
	if preset := findPreset(text); preset != nil && preset.IsEdge {
		return BadValue, "every client behind " + text + " would be trusted: put it in trusted_proxies"
	}
	return checkNetwork(text)
}

func checkNetwork(text string) (kind, message string) {
	if _, ok := address.ParseNetwork(text); ok || findPreset(text) != nil {
		return "", ""
	}
	return BadAddress, "expected an IPv4 or IPv6 address or CIDR, found " + quoted(text)
}

func checkInspectedHeader(name string) (kind, message string) {
	if !headerToken.MatchString(name) {
		return BadValue, "expected a header name (RFC 9110 token), found " + quoted(name)
	}
	if has(connectionHeaders, strings.ToLower(name)) {
		return BadValue, name + " cannot be inspected"
	}
	return "", ""
}

func checkRuleTarget(target string) (kind, message string) {
	name, isHeader := strings.CutPrefix(target, "header:")
	if isHeader && has(connectionHeaders, strings.ToLower(name)) {
		return BadValue, target + " cannot be inspected"
	}
	return "", ""
}

// hasControl reports whether a text has C0 controls or DEL, which header values, paths and titles must not contain (RFC
// 9110 5.5).
func hasControl(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7f }) >= 0
}

func checkNoControl(text string) (kind, message string) {
	if hasControl(text) {
		return BadValue, "expected a text without control characters, found " + quoted(text)
	}
	return "", ""
}

func isWebURL(text string) bool {
	match := webURL.FindStringSubmatch(text)
	if match == nil {
		return false
	}
	if match[1] != "" {
		if _, ok := address.Parse(match[1]); !ok {
			return false
		}
	}
	port, _ := strconv.Atoi(match[2]) // an absent port is 0 here
	return port <= largestPort
}

func checkWebURL(text string) (kind, message string) {
	if isWebURL(text) {
		return "", ""
	}
	return BadValue, "expected an http:// or https:// URL, found " + quoted(text)
}

// checkRedirectTarget accepts a URL, or a path with exactly one leading slash: //host and /\host lead to another host.
func checkRedirectTarget(text string) (kind, message string) {
	if rootRelative.MatchString(text) || isWebURL(text) {
		return "", ""
	}
	return BadValue, "expected http://, https:// or a path that starts with one slash, found " + quoted(text)
}

// secretKeys has the keys that may be a reference to an environment variable. Messages do not quote their values.
var secretKeys = map[string]bool{"secret": true, "response.captcha.secret_key": true}

func (p *problems) checkSecret(at string, f *field, value string) {
	if environment.MatchString(value) && len(value) <= f.Max {
		return
	}
	if strings.Contains(value, "${") {
		p.add(BadValue, at, "expected a key, or nothing but ${NAME}")
	}
	if kind, message := f.checkBounds(value); kind != "" {
		p.add(kind, at, message)
	}
}
