package engine

import (
	"net/http"
	"strings"

	"github.com/request-guard/guard/limits"
)

// Connect is the entry of allowUpgrades that allows tunnels by CONNECT. It is in lower case.
const Connect = "connect"

const h2c = "h2c"

// AllowsUpgrade reports whether the policy allows a protocol.
func (s *RuleSet) AllowsUpgrade(protocol string) bool { return s.upgrades[lower(protocol)] }

// IsExempt reports whether the guard leaves all requests of this client alone: it is disabled, or the client is in allowedIps.
func (s *RuleSet) IsExempt(r *Request) bool {
	return !s.policy.Enabled || !s.allowed.Empty() && s.allowed.Contains(s.Client(r))
}

// RefusedUpgrade returns the first protocol in the Upgrade lines that the policy does not allow, or "" if there is none. Of
// lines beyond limits.UpgradeBytes it returns the first bytes.
func (s *RuleSet) RefusedUpgrade(h http.Header) string {
	text := strings.Join(h["Upgrade"], ",")
	if len(text) > limits.UpgradeBytes {
		return text[:limits.UpgradeBytes]
	}
	for _, protocol := range listEntries(text) {
		if !s.AllowsUpgrade(protocol) {
			return protocol
		}
	}
	return ""
}

// RemoveUpgrades removes the protocols that the policy does not allow, and what belongs to them: HTTP2-Settings belongs to h2c,
// and the option upgrade in Connection to the last protocol. Several lines become one.
func (s *RuleSet) RemoveUpgrades(h http.Header) {
	gone := map[string]bool{}
	if !s.upgrades[h2c] {
		gone["http2-settings"] = true
		delete(h, "Http2-Settings")
	}
	setEntries(h, "Upgrade", limits.UpgradeBytes, s.AllowsUpgrade)
	if h["Upgrade"] == nil {
		gone["upgrade"] = true
	}
	setEntries(h, "Connection", limits.ConnectionBytes, func(option string) bool { return !gone[lower(option)] })
}

// setEntries keeps the entries of a list header that are kept, in one line. It removes a header of more than longest bytes.
func setEntries(h http.Header, name string, longest int, isKept func(entry string) bool) {
	text := strings.Join(h[name], ",")
	var kept []string
	if len(text) <= longest {
		for _, entry := range listEntries(text) {
			if isKept(entry) {
				kept = append(kept, entry)
			}
		}
	}
	if kept == nil {
		delete(h, name)
		return
	}
	h[name] = []string{strings.Join(kept, ", ")}
}

// listEntries returns the entries of a list header (RFC 9110 5.6.1) that are not empty.
func listEntries(text string) []string {
	var entries []string
	for _, entry := range strings.Split(text, ",") {
		if entry = strings.Trim(entry, " \t"); entry != "" {
			entries = append(entries, entry)
		}
	}
	return entries
}
