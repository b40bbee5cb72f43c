package engine

import (
	"fmt"
	"strings"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// RuleSet is a compiled policy. It is safe for concurrent use. Only what it keeps of targets changes.
type RuleSet struct {
	policy     *policy.Policy
	rules      []*rule          // in order of evaluation: allow rules, then block rules
	prefilter  *match.Prefilter // nil: the engine uses steps instead
	steps      *Steps           // nil: the engine uses loops over bytes
	exceptions []exception
	hasClients bool            // an exception has clients
	methods    map[string]bool // inspected methods in upper case; nil: all
	allowed    *address.Set
	trusted    *address.Set
	headers    []inspectedHeader
	lines      []inspectedHeader // headers that rules have as targets, in order of evaluation
	lineIndex  lineIndex         // of lines; nil with steps, and where indexLines cannot make it
	// wholeQueries is the prefilter of the rules about whole queries. It is nil where one requires no literal, and with steps.
	wholeQueries *match.Prefilter
	bodies       *match.Prefilter // of the patterns of rules about bodies, by the number of the rule; nil without such rules, and with steps
	upgrades     map[string]bool  // allowed protocols of Upgrade in lower case
	exploited    map[string]bool  // methods of the enabled rules with conditions, in upper case
	passed       *passedTargets   // nil with steps
}

type rule struct {
	id         string
	pattern    string
	kinds      kind
	headers    []string // names in lower case, with dashes; empty unless kinds has headerKind
	allows     bool
	isCustom   bool
	isExtended bool
	conditions *conditions // nil: a match suffices
	matcher    *match.Matcher
}

// exception disables rules for some requests.
type exception struct {
	rules match.Set
	path  *match.Matcher // the exception applies only if this matches each path candidate
	hosts []string       // host names in lower case; an empty list means any host
	// clients are the networks whose clients it holds for; an empty set means any client.
	clients *address.Set
}

// Compile compiles a policy with tables. The result refers to p, which must not change afterwards.
func Compile(p *policy.Policy) (*RuleSet, error) { return tableToolkit.Compile(p) }

func (k *Toolkit) Compile(p *policy.Policy) (*RuleSet, error) {
	s := &RuleSet{
		policy:   p,
		allowed:  address.NewSet(p.AllowedIPs),
		trusted:  address.NewSet(p.TrustedProxies),
		methods:  methodsOf(p.Methods),
		headers:  headersOf(p.CheckHeaders),
		upgrades: map[string]bool{},
	}
	for _, protocol := range p.AllowUpgrades {
		s.upgrades[lower(protocol)] = true
	}
	budget := match.NewTableBudget(limits.TableEntries, limits.TableSteps)
	for _, action := range []string{"allow", "block"} {
		rules, err := k.rulesOf(p, action, budget)
		if err != nil {
			return nil, err
		}
		s.rules = append(s.rules, rules...)
	}
	s.exploited = exploitedMethods(s.rules)
	s.lines = headersOf(headersOfRules(s.rules))
	var matchers, forBodies []*match.Matcher
	for _, r := range s.rules {
		matchers = append(matchers, r.matcher)
		if r.kinds&bodyKind != 0 {
			forBodies = append(forBodies, r.matcher)
		}
	}
	if k.Steps != nil {
		s.steps = k.Steps(p, matchers, forBodies)
	} else {
		s.prefilter = k.prefilterOf(s.rules, matchers)
		for i := range s.lines {
			s.lines[i].filter = lineFilterOf(s.rules, s.lines[i].name)
		}
		s.lineIndex = indexLines(s.lines)
		s.passed = newPassedTargets()
		if p.Exploits == AllExploits {
			s.bodies = k.bodyFilter()
		}
		s.wholeQueries = smallFilterOf(s.rules, func(r *rule) bool { return r.kinds&wholeQueryKind != 0 })
	}
	return s, s.compileExceptions(p.Exceptions, k, budget)
}

func methodsOf(names []string) map[string]bool {
	methods := make(map[string]bool, len(names))
	for _, name := range names {
		if name == "*" {
			return nil
		}
		methods[strings.ToUpper(name)] = true
	}
	return methods
}

// rulesOf returns the rules of one action in order: the policy's patterns, its custom rules, the built-in rules.
func (k *Toolkit) rulesOf(p *policy.Policy, action string, budget *match.TableBudget) ([]*rule, error) {
	patterns, id, builtIn := p.BlockPatterns, policy.BlockID, p.EnableDefaultPatterns
	if action == "allow" {
		patterns, id, builtIn = p.AllowPatterns, policy.AllowID, p.EnableDefaultAllowPatterns
	}
	custom := make([]policy.Rule, 0, len(patterns)+len(p.Rules))
	for i, source := range patterns {
		custom = append(custom, policy.Rule{ID: id(i), Action: action, Pattern: source, Targets: kindNames[:3]})
	}
	var rules []*rule
	for _, o := range append(custom, p.Rules...) {
		if o.Action != action {
			continue
		}
		m, err := k.Matcher(o.Pattern, budget)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", o.ID, err)
		}
		r := newRule(o.ID, o.Action, o.Pattern, o.Targets, m)
		r.isCustom = true
		rules = append(rules, r)
	}
	return append(rules, k.builtInRules(action, p, builtIn)...), nil
}

func newRule(id, action, source string, targets []string, m *match.Matcher) *rule {
	r := &rule{id: id, pattern: source, kinds: kindsOf(targets), allows: action == "allow", matcher: m}
	for _, target := range targets {
		if name, isHeader := strings.CutPrefix(target, headerPrefix); isHeader {
			r.kinds |= headerKind
			r.headers = append(r.headers, dashedName(name))
		}
	}
	return r
}

// builtInRules returns the built-in rules of one action that the policy enables; hasDefaults is its switch for those without conditions.
// All policies share their tables.
func (k *Toolkit) builtInRules(action string, p *policy.Policy, hasDefaults bool) []*rule {
	k.once.Do(func() {
		k.builtIn = k.makeBuiltIn()
		if k.Later != nil {
			k.Later(k.prepareBuiltIn)
		}
	})
	isDisabled := map[string]bool{}
	for _, id := range p.DisabledRules {
		isDisabled[id] = true
	}
	var rules []*rule
	for _, r := range k.builtIn {
		isOn := hasDefaults && (!r.isExtended || p.BuiltinRules == "extended")
		if r.conditions != nil {
			isOn = HasExploits(r.conditions.rule, p.Exploits)
		}
		if isOn && r.allows == (action == "allow") && !isDisabled[r.id] {
			rules = append(rules, r)
		}
	}
	return rules
}

func (s *RuleSet) compileExceptions(exceptions []policy.Exception, k *Toolkit, budget *match.TableBudget) error {
	for i, e := range exceptions {
		path, err := k.Matcher(e.Path, budget)
		if err != nil {
			return fmt.Errorf("exceptions[%d]: %w", i, err)
		}
		disabled := match.NewSet(len(s.rules))
		for _, id := range e.Rules {
			for n, r := range s.rules {
				if r.id == id && !r.allows {
					disabled.Add(n)
				}
			}
		}
		hosts := make([]string, len(e.Hosts))
		for n, host := range e.Hosts {
			hosts[n] = lower(host)
		}
		s.hasClients = s.hasClients || len(e.Clients) > 0
		s.exceptions = append(s.exceptions, exception{rules: disabled, path: path, hosts: hosts, clients: address.NewSet(e.Clients)})
	}
	return nil
}

// kind is the kind of a target, or a set of kinds: one bit each. A rule applies to a set.
type kind uint8

const (
	pathKind = kind(1 << iota)
	queryKind
	bodyKind
	wholeQueryKind // the whole query, which only rules with conditions have
	headerKind     // a header that is matched verbatim
)

var kindNames = []string{"path", "query", "body", "whole-query", "header"}

func kindsOf(names []string) kind {
	var kinds kind
	for i, name := range kindNames {
		for _, n := range names {
			if n == name {
				kinds |= 1 << i
			}
		}
	}
	return kinds
}

func (k kind) String() string {
	for i, name := range kindNames {
		if k == 1<<i {
			return name
		}
	}
	return ""
}
