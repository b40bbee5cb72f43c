/** A compiled policy. Patterns and prefilters are compiled at first use. */

import { wholeQuery } from '../contract/policy/exploits.ts';
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
  readonly matchers: Readonly<Record<RuleKind, Matcher>>;
  /** Methods of the rules about exploits that the policy uses, in upper case. */
  readonly exploitMethods: ReadonlySet<string>;
}

export function compilePolicy(policy: Policy): Compiled {
  const rules = rulesOf(policy);
  const matcher = (kind: RuleKind) => createMatcher(rules.filter((rule) => rule.targets.includes(kind)));
  return {
    policy,
    methods: new Set(policy.methods.map((method) => method.toUpperCase())),
    allowedIps: networksOf(policy.allowedIps),
    trustedProxies: networksOf(policy.trustedProxies),
    exceptions: compileExceptions(policy),
    matchers: {
      ...{ path: matcher('path'), query: matcher('query'), body: matcher('body') },
      [wholeQuery]: matcher(wholeQuery),
    },
    exploitMethods: new Set(rules.flatMap(({ conditions }) => conditions?.methods ?? [])),
  };
}
