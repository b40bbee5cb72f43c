import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { isActive } from '../../contract/policy/engine-rules.ts';
import { exploitRules, isExploitOn } from '../../contract/policy/exploits.ts';
import { type Mode, statusOf } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';

export interface PolicySummary {
  /** `detect`: blocked requests are only reported. */
  readonly mode: Policy['mode'];
  readonly enabled: boolean;
  readonly blockRules: { readonly builtIn: number; readonly custom: number };
  readonly allowRules: { readonly builtIn: number; readonly custom: number };
  readonly response: { readonly mode: Mode; readonly status: number | null };
  readonly allowedNetworks: number;
}

type Action = 'block' | 'allow';

function countBuiltIn(action: Action, policy: Policy): number {
  const { exploits, disabledRules } = policy;
  const active = exploitRules().filter((rule) => isExploitOn(rule, exploits) && !disabledRules.includes(rule.id));
  const rules = [...builtInRules.filter((rule) => isActive(rule, policy)), ...active];
  return rules.filter((rule) => rule.action === action).length;
}

function countCustom(action: Action, { blockPatterns, allowPatterns, rules }: Policy): number {
  const short = action === 'block' ? blockPatterns : allowPatterns;
  return short.length + rules.filter((rule) => rule.action === action).length;
}

export function summarize(policy: Policy): PolicySummary {
  const count = (action: Action) => ({
    builtIn: countBuiltIn(action, policy),
    custom: countCustom(action, policy),
  });
  return {
    mode: policy.mode,
    enabled: policy.enabled,
    blockRules: count('block'),
    allowRules: count('allow'),
    response: { mode: policy.response.mode, status: statusOf(policy.response) },
    allowedNetworks: policy.allowedIps.length,
  };
}
