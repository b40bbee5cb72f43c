/** Exceptions of a policy: rules that are off for some hosts and paths. */
import type { Policy } from '../policy/schema.ts';
import { compileRegex } from '../regex/compile.ts';
import type { Target } from './request.ts';
import type { Rule } from './rules.ts';

export interface Exception {
  readonly rules: ReadonlySet<string>;
  readonly applies: (host: string, paths: readonly Target[]) => boolean;
}

function matchesHost(patterns: readonly string[], host: string): boolean {
  if (patterns.length === 0) return true;
  return patterns.some((pattern) => host === pattern || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1))));
}

function compileException({ rules, path, hosts }: Policy['exceptions'][number]): Exception {
  const patterns = hosts.map((host) => host.toLowerCase());
  let compiled: RegExp | undefined;
  const covers = (candidate: string) => {
    compiled ??= compileRegex(path);
    return compiled.test(candidate);
  };
  return {
    rules: new Set(rules),
    applies: (host, paths) =>
      matchesHost(patterns, host) && paths.every((target) => !target.limit && target.candidates.every(covers)),
  };
}

export function compileExceptions(policy: Policy): Exception[] {
  return policy.exceptions.map(compileException);
}

/**
 * Whether a rule is off for a request. Exceptions take out block rules only, for a request of which every path candidate
 * is covered and no path reached a limit. They are looked at when the first block rule matches.
 */
export function rulesOff(
  exceptions: readonly Exception[],
  host: string,
  paths: readonly Target[],
): (rule: Rule) => boolean {
  let applying: readonly Exception[] | undefined;
  return (rule) => {
    if (rule.action === 'allow') return false;
    applying ??= exceptions.filter((exception) => exception.applies(host.toLowerCase(), paths));
    return applying.some((exception) => exception.rules.has(rule.id));
  };
}
