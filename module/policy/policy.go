// Package policy reads and checks a policy: the inspected requests, the rules, and the response to a blocked request.
// Keys, defaults and bounds are generated from contract/policy/schema.ts.
package policy

import "net/netip"

// Policy is a checked policy with every default filled in.
type Policy struct {
	Enabled                    bool           `json:"enabled"`
	Mode                       string         `json:"mode"` // "enforce" or "detect"
	Debug                      bool           `json:"debug"`
	SecurityLog                bool           `json:"security_log"`
	SecurityLogFile            string         `json:"security_log_file"` // empty: standard output
	Secret                     string         `json:"secret"`            // as written, possibly ${NAME}; empty: none
	EnableDefaultPatterns      bool           `json:"enable_default_patterns"`
	EnableDefaultAllowPatterns bool           `json:"enable_default_allow_patterns"`
	BuiltinRules               string         `json:"builtin_rules"` // "standard" or "extended"
	Exploits                   string         `json:"exploits"`      // "off", "paths" or "all"
	DisabledRules              []string       `json:"disabled_rules"`
	BlockPatterns              []string       `json:"block_patterns"`
	AllowPatterns              []string       `json:"allow_patterns"`
	Rules                      []Rule         `json:"rules"`
	Exceptions                 []Exception    `json:"exceptions"` // those of Applications come last
	Applications               []Application  `json:"applications"`
	AllowedIPs                 []netip.Prefix `json:"allowed_ips"`     // host bits are 0
	TrustedProxies             []netip.Prefix `json:"trusted_proxies"` // host bits are 0
	BanList                    *BanList       `json:"ban_list"`        // nil: none
	Methods                    []string       `json:"methods"`         // spelled as in the file; "*" means all
	AllowUpgrades              []string       `json:"allow_upgrades"`  // spelled as in the file
	CheckQuery                 bool           `json:"check_query"`
	CheckBody                  bool           `json:"check_body"`
	MaxBodyBytes               int            `json:"max_body_bytes"`
	BodyOverflow               string         `json:"body_overflow"`
	CheckHeaders               []string       `json:"check_headers"` // spelled as in the file
	Response                   Response       `json:"response"`
}

type Rule struct {
	ID          string   `json:"id"`
	Action      string   `json:"action"` // "block" or "allow"
	Pattern     string   `json:"pattern"`
	Targets     []string `json:"targets"` // "path", "query", "body", "header:<name>"
	Description string   `json:"description"`
}

// Exception disables rules for some paths.
type Exception struct {
	Rules []string `json:"rules"` // ids of block rules
	Path  string   `json:"path"`  // regular expression that every path candidate must match
	Hosts []string `json:"hosts"` // exact or *.suffix; empty: any host
	// Clients are networks with host bits 0; empty: any client.
	Clients []netip.Prefix `json:"clients"`
}

// Application means the exceptions of a profile.
type Application struct {
	Name     string   `json:"name"`
	Hosts    []string `json:"hosts"`     // exact or *.suffix; empty: any host
	BasePath string   `json:"base_path"` // empty: that of the profile
}

// BanList names the file with banned addresses.
type BanList struct {
	File     string    `json:"file"`
	Response *Response `json:"response"` // nil: that of the policy
}

type Response struct {
	Mode                     string            `json:"mode"`
	StatusCode               int               `json:"status_code"`  // 0: the mode sends no status
	Body                     *string           `json:"body"`         // nil: the mode's default body
	ContentType              string            `json:"content_type"` // from the file, or the mode's default
	Headers                  map[string]string `json:"headers"`
	RedirectURL              string            `json:"redirect_url"`
	ProxyURL                 string            `json:"proxy_url"`
	GzipBombMB               int               `json:"gzip_bomb_mb"`
	RetryAfterSeconds        int               `json:"retry_after_seconds"`
	TarpitDelayMS            int               `json:"tarpit_delay_ms"`
	TarpitMaxDurationSeconds int               `json:"tarpit_max_duration_seconds"`
	StreamSizeMB             int               `json:"stream_size_mb"`
	MaxResponseSeconds       int               `json:"max_response_seconds"`
	Captcha                  *Captcha          `json:"captcha"` // nil: none
	MaxHeld                  int               `json:"max_held"`
	MaxHeldPerAddress        int               `json:"max_held_per_address"`
}

// ResponseTo returns the response to a blocked request, of a banned client or another one. A solved captcha does not lift a ban, so
// the response of mode text replaces that of mode captcha.
func (p *Policy) ResponseTo(isBanned bool) *Response {
	if isBanned && p.BanList != nil && p.BanList.Response != nil {
		return p.BanList.Response
	}
	if !isBanned || p.Response.Mode != "captcha" {
		return &p.Response
	}
	text, _ := ModeOf("text")
	banned := p.Response
	banned.Mode = text.Name
	banned.StatusCode = text.StatusCode
	banned.ContentType = text.ContentType
	banned.Body = nil
	banned.Captcha = nil
	return &banned
}

type Captcha struct {
	Provider    string `json:"provider"` // real or neutral name, as listed in contract/policy/modes.ts
	SiteKey     string `json:"site_key"`
	SecretKey   string `json:"secret_key"` // as written, or its value after host.NewResponder; empty: solutions are not verified
	PassMinutes int    `json:"pass_minutes"`
	Title       string `json:"title"`
	VerifyURL   string `json:"verify_url"` // empty: the URL of the provider
	// Hostnames are the hosts on which a challenge may be solved. Empty: only the host of the request.
	Hostnames       []string `json:"hostnames"`
	Action          string   `json:"action"`            // empty: any
	MinScorePercent int      `json:"min_score_percent"` // 0: any
}
