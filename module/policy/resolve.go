package policy

import (
	"net/netip"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/limits"
)

// Resolve checks a file and fills in its defaults. It returns no policy when there are problems.
func Resolve(f *File) (*Policy, []Problem) { return resolve(f, &problems{}) }

func resolve(f *File, found *problems) (*Policy, []Problem) {
	top := place{found: found}
	p := &Policy{
		Enabled:                    top.flag("enabled", f.Enabled),
		Mode:                       top.text("mode", f.Mode),
		Debug:                      top.flag("debug", f.Debug),
		SecurityLog:                top.flag("security_log", f.SecurityLog),
		SecurityLogFile:            top.text("security_log_file", f.SecurityLogFile, noControl),
		Secret:                     top.secret("secret", f.Secret),
		EnableDefaultPatterns:      top.flag("enable_default_patterns", f.EnableDefaultPatterns),
		EnableDefaultAllowPatterns: top.flag("enable_default_allow_patterns", f.EnableDefaultAllowPatterns),
		DisabledRules:              top.texts("disabled_rules", f.DisabledRules),
		BlockPatterns:              top.texts("block_patterns", f.BlockPatterns, regex),
		AllowPatterns:              top.texts("allow_patterns", f.AllowPatterns, regex),
		Rules:                      top.rules(f.Rules),
		Exceptions:                 top.exceptions(f.Exceptions),
		AllowedIPs:                 top.networks("allowed_ips", f.AllowedIPs),
		TrustedProxies:             top.networks("trusted_proxies", f.TrustedProxies),
		Methods:                    top.texts("methods", f.Methods),
		CheckQuery:                 top.flag("check_query", f.CheckQuery),
		CheckBody:                  top.flag("check_body", f.CheckBody),
		MaxBodyBytes:               top.number("max_body_bytes", f.MaxBodyBytes),
		CheckHeaders:               top.texts("check_headers", f.CheckHeaders, inspectedHeader),
		Response:                   top.response(f.Response),
	}
	top.ruleIDs(f)
	if len(found.list) > limits.FileProblems {
		found.list = found.list[:limits.FileProblems]
	}
	if len(found.list) > 0 {
		return nil, found.list
	}
	return p, nil
}

func (p place) networks(key string, texts []string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range p.texts(key, texts, network) {
		n, _ := address.ParseNetwork(text) // malformed networks are reported
		list = append(list, n)
	}
	return list
}

func (p place) rules(files []RuleFile) []Rule {
	p.length("rules", len(files))
	var list []Rule
	for i, f := range files {
		at := p.entry("rules", i)
		list = append(list, Rule{
			ID:          at.text("id", f.ID),
			Action:      at.text("action", f.Action),
			Pattern:     at.text("pattern", f.Pattern, regex),
			Targets:     at.texts("targets", f.Targets),
			Description: at.text("description", f.Description),
		})
	}
	return list
}

func (p place) exceptions(files []ExceptionFile) []Exception {
	p.length("exceptions", len(files))
	var list []Exception
	for i, f := range files {
		at := p.entry("exceptions", i)
		list = append(list, Exception{
			Rules: at.texts("rules", f.Rules),
			Path:  at.text("path", f.Path, regex),
			Hosts: at.texts("hosts", f.Hosts),
		})
	}
	return list
}
