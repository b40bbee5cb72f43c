/** Exceptions of a policy: rules that are off for some hosts and paths. */
import { exceptionsOf, type NamedException } from '../contract/policy/applications.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { testOf } from '../contract/regex/compile.ts';
import { hostName } from './host-name.ts';
import type { Target } from './request.ts';
import type { Rule } from './rules.ts';

/** Why an exception does not apply to a request. */
export type ExceptionMiss = 'host' | 'path' | 'limit';

export interface Exception {
  /** The place in the policy, such as `exceptions[0]` or `applications[0]`. */
  readonly name: string;
  readonly rules: ReadonlySet<string>;
  /** Returns why the exception does not apply, or undefined when it applies. */
  readonly miss: (host: string, paths: readonly Target[]) => ExceptionMiss | undefined;
}

function matchesHost(patterns: readonly string[], host: string): boolean {
  if (patterns.length === 0) return true;
  return patterns.some((pattern) => host === pattern || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1))));
}

function compileException({ name, rules, path, hosts }: NamedException): Exception {
  const patterns = hosts.map((host) => host.toLowerCase());
  const covers = testOf(path);
  return {
    name,
    rules: new Set(rules),
    miss: (host, paths) => {
      if (!matchesHost(patterns, hostName(host))) return 'host';
      if (paths.some(({ limit }) => limit)) return 'limit';
      return paths.every(({ candidates }) => candidates.every(covers)) ? undefined : 'path';
    },
  };
}

export function compileExceptions(policy: Policy): Exception[] {
  return exceptionsOf(policy).map(compileException);
}

/**
 * Returns a function that reports whether a rule is off. An exception applies when it matches the host and each path
 * candidate, and no path reached a limit. Exceptions are evaluated when the first block rule matches.
 */
export function createIsOff(
  exceptions: readonly Exception[],
  host: string,
  paths: readonly Target[],
): (rule: Rule) => boolean {
  let applying: readonly Exception[] | undefined;
  return (rule) => {
    if (rule.action === 'allow') return false;
    applying ??= exceptions.filter((exception) => exception.miss(host, paths) === undefined);
    return applying.some((exception) => exception.rules.has(rule.id));
  };
}
