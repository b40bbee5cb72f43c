/** A compiled policy. Patterns and prefilters are compiled at first use. */

import { type HeaderTarget, headerTargets } from '../contract/policy/headers.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { type Network, networksOf } from '../contract/values/address.ts';
import { compileExceptions, type Exception } from './exceptions.ts';
import { createMatcher, type Matcher } from './matcher.ts';
import { type RuleKind, rulesOf } from './rules.ts';

export interface Compiled {
  readonly policy: Policy;
  /** Method names in upper case. */
  readonly methods: ReadonlySet<string>;
  readonly allowedIps: readonly Network[];
  readonly trustedProxies: readonly Network[];
  readonly exceptions: readonly Exception[];
  readonly matcherOf: (kind: RuleKind) => Matcher;
  /** The headers that rules have as targets, in order of evaluation. */
  readonly headerTargets: readonly HeaderTarget[];
  /** Methods of the rules about exploits that the policy uses, in upper case. */
  readonly exploitMethods: ReadonlySet<string>;
}

export function compilePolicy(policy: Policy): Compiled {
  const rules = rulesOf(policy);
  const matcher = (kind: RuleKind) => createMatcher(rules.filter((rule) => rule.targets.includes(kind)));
  const matchers = new Map<RuleKind, Matcher>();
  return {
    policy,
    methods: new Set(policy.methods.map((method) => method.toUpperCase())),
    allowedIps: networksOf(policy.allowedIps),
    trustedProxies: networksOf(policy.trustedProxies),
    exceptions: compileExceptions(policy),
    matcherOf: (kind) => matchers.getOrInsertComputed(kind, () => matcher(kind)),
    headerTargets: headerTargets(rules),
    exploitMethods: new Set(rules.flatMap(({ conditions }) => conditions?.methods ?? [])),
  };
}
