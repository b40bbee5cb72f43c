// Package policy reads and checks a policy: what is inspected, blocked and allowed, and the response to a blocked
// request. Keys, defaults and bounds are generated from contract/policy/schema.ts.
package policy

import "net/netip"

// Policy is a checked policy with every default filled in.
type Policy struct {
	Enabled                    bool
	Mode                       string // "enforce" or "detect"
	Debug                      bool
	SecurityLog                bool
	SecurityLogFile            string // empty: standard output
	Secret                     string // as written, perhaps ${NAME}; empty: none
	EnableDefaultPatterns      bool
	EnableDefaultAllowPatterns bool
	DisabledRules              []string
	BlockPatterns              []string
	AllowPatterns              []string
	Rules                      []Rule
	Exceptions                 []Exception
	AllowedIPs                 []netip.Prefix // masked
	TrustedProxies             []netip.Prefix // masked
	Methods                    []string       // in the case of the file; "*" is all
	CheckQuery                 bool
	CheckBody                  bool
	MaxBodyBytes               int
	CheckHeaders               []string // in the case of the file
	Response                   Response
}

// Rule is a custom rule.
type Rule struct {
	ID          string
	Action      string // "block" or "allow"
	Pattern     string
	Targets     []string // kinds: "path", "query", "body"
	Description string
}

// Exception disables rules for some paths.
type Exception struct {
	Rules []string // ids of block rules
	Path  string   // regular expression that every path candidate must match
	Hosts []string // exact or *.suffix; none: any host
}

// Response configures the response to a blocked request.
type Response struct {
	Mode                     string
	StatusCode               int     // of the file or of the mode; 0: the mode sends no status
	Body                     *string // nil: that of the mode
	ContentType              string  // of the file or of the mode
	Headers                  map[string]string
	RedirectURL              string
	ProxyURL                 string
	GzipBombMB               int
	RetryAfterSeconds        int
	TarpitDelayMS            int
	TarpitMaxDurationSeconds int
	StreamSizeMB             int
	MaxResponseSeconds       int
	Captcha                  *Captcha // nil: none
	MaxHeld                  int
	MaxHeldPerAddress        int
}

// Captcha is the challenge of response mode captcha.
type Captcha struct {
	Provider    string // by its neutral or its real name
	SiteKey     string
	SecretKey   string // as written, perhaps ${NAME}; empty: the page only challenges
	PassMinutes int
	Title       string
	VerifyURL   string // empty: that of the provider
}
