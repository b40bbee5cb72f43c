package policy

// File is a policy in the form of a proxy: guard.json with its keys in snake_case. Absent keys are nil; an empty list
// counts as present.
type File struct {
	Enabled                    *bool           `json:"enabled,omitempty"`
	Mode                       *string         `json:"mode,omitempty"`
	Debug                      *bool           `json:"debug,omitempty"`
	SecurityLog                *bool           `json:"security_log,omitempty"`
	SecurityLogFile            *string         `json:"security_log_file,omitempty"`
	Secret                     *string         `json:"secret,omitempty"`
	EnableDefaultPatterns      *bool           `json:"enable_default_patterns,omitempty"`
	EnableDefaultAllowPatterns *bool           `json:"enable_default_allow_patterns,omitempty"`
	DisabledRules              []string        `json:"disabled_rules,omitempty"`
	BlockPatterns              []string        `json:"block_patterns,omitempty"`
	AllowPatterns              []string        `json:"allow_patterns,omitempty"`
	Rules                      []RuleFile      `json:"rules,omitempty"`
	Exceptions                 []ExceptionFile `json:"exceptions,omitempty"`
	AllowedIPs                 []string        `json:"allowed_ips,omitempty"`
	TrustedProxies             []string        `json:"trusted_proxies,omitempty"`
	Methods                    []string        `json:"methods,omitempty"`
	CheckQuery                 *bool           `json:"check_query,omitempty"`
	CheckBody                  *bool           `json:"check_body,omitempty"`
	MaxBodyBytes               *int            `json:"max_body_bytes,omitempty"`
	CheckHeaders               []string        `json:"check_headers,omitempty"`
	Response                   *ResponseFile   `json:"response,omitempty"`
}

// RuleFile is an entry of rules.
type RuleFile struct {
	ID          *string  `json:"id,omitempty"`
	Action      *string  `json:"action,omitempty"`
	Pattern     *string  `json:"pattern,omitempty"`
	Targets     []string `json:"targets,omitempty"`
	Description *string  `json:"description,omitempty"`
}

// ExceptionFile is an entry of exceptions.
type ExceptionFile struct {
	Rules []string `json:"rules,omitempty"`
	Path  *string  `json:"path,omitempty"`
	Hosts []string `json:"hosts,omitempty"`
}

// ResponseFile is the response section.
type ResponseFile struct {
	Mode                     *string           `json:"mode,omitempty"`
	StatusCode               *int              `json:"status_code,omitempty"`
	Body                     *string           `json:"body,omitempty"`
	ContentType              *string           `json:"content_type,omitempty"`
	Headers                  map[string]string `json:"headers,omitempty"`
	RedirectURL              *string           `json:"redirect_url,omitempty"`
	ProxyURL                 *string           `json:"proxy_url,omitempty"`
	GzipBombMB               *int              `json:"gzip_bomb_mb,omitempty"`
	RetryAfterSeconds        *int              `json:"retry_after_seconds,omitempty"`
	TarpitDelayMS            *int              `json:"tarpit_delay_ms,omitempty"`
	TarpitMaxDurationSeconds *int              `json:"tarpit_max_duration_seconds,omitempty"`
	StreamSizeMB             *int              `json:"stream_size_mb,omitempty"`
	MaxResponseSeconds       *int              `json:"max_response_seconds,omitempty"`
	Captcha                  *CaptchaFile      `json:"captcha,omitempty"`
	MaxHeld                  *int              `json:"max_held,omitempty"`
	MaxHeldPerAddress        *int              `json:"max_held_per_address,omitempty"`
}

// CaptchaFile is the captcha section of response.
type CaptchaFile struct {
	Provider    *string `json:"provider,omitempty"`
	SiteKey     *string `json:"site_key,omitempty"`
	SecretKey   *string `json:"secret_key,omitempty"`
	PassMinutes *int    `json:"pass_minutes,omitempty"`
	Title       *string `json:"title,omitempty"`
	VerifyURL   *string `json:"verify_url,omitempty"`
}
