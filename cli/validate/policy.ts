/** Summary of a policy in a few figures. */
import { type Mode, statusOf } from '../../contract/policy/modes.ts';
import patterns from '../../contract/policy/patterns.json' with { type: 'json' };
import type { Policy } from '../../contract/policy/schema.ts';

export interface PolicySummary {
  /** Whether blocked requests get a response, or are only reported. */
  readonly mode: Policy['mode'];
  readonly enabled: boolean;
  readonly blockRules: { readonly builtIn: number; readonly custom: number };
  readonly allowRules: { readonly builtIn: number; readonly custom: number };
  readonly response: { readonly mode: Mode; readonly status: number | null };
  /** Number of entries in `allowedIps`. */
  readonly allowedNetworks: number;
}

type Action = 'block' | 'allow';

function countBuiltIn(action: Action, isOn: boolean, disabled: ReadonlySet<string>): number {
  return isOn ? patterns.filter((rule) => rule.action === action && !disabled.has(rule.id)).length : 0;
}

function countCustom(action: Action, { blockPatterns, allowPatterns, rules }: Policy): number {
  const short = action === 'block' ? blockPatterns : allowPatterns;
  return short.length + rules.filter((rule) => rule.action === action).length;
}

export function summarize(policy: Policy): PolicySummary {
  const disabled = new Set(policy.disabledRules);
  const count = (action: Action, isOn: boolean) => ({
    builtIn: countBuiltIn(action, isOn, disabled),
    custom: countCustom(action, policy),
  });
  return {
    mode: policy.mode,
    enabled: policy.enabled,
    blockRules: count('block', policy.enableDefaultPatterns),
    allowRules: count('allow', policy.enableDefaultAllowPatterns),
    response: { mode: policy.response.mode, status: statusOf(policy.response) },
    allowedNetworks: policy.allowedIps.length,
  };
}
