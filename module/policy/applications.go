package policy

import (
	"strings"

	"github.com/request-guard/guard/builtin"
)

// expandApplications appends the exceptions that the applications of a policy mean.
func (p *Policy) expandApplications() {
	for _, entry := range p.Applications {
		for _, profile := range builtin.Applications {
			if profile.Name == entry.Name {
				p.Exceptions = append(p.Exceptions, entry.expand(profile)...)
			}
		}
	}
}

// expand returns the exceptions of a profile below the base path. Of its characters only the dot means something else in
// a pattern.
func (a *Application) expand(profile builtin.Application) []Exception {
	base := profile.BasePath
	if a.BasePath != "" {
		base = strings.TrimSuffix(a.BasePath, "/")
	}
	base = "^" + strings.ReplaceAll(base, ".", `\.`)
	list := make([]Exception, 0, len(profile.Passages))
	for _, passage := range profile.Passages {
		list = append(list, Exception{Rules: passage.Rules, Path: base + passage.Path, Hosts: a.Hosts})
	}
	return list
}
