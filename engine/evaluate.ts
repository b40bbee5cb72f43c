/** Evaluates a request to a verdict (docs/engine.md, "Order of evaluation"). */
import type { AllowedReason } from '../contract/policy/reasons.ts';
import { clientAddress, isWithin } from './client-address.ts';
import type { Compiled } from './compiled.ts';
import { createIsOff } from './exceptions.ts';
import { shorterReadings } from './matcher.ts';
import type { BodyInspection, GuardRequest, Target, Verdict } from './request.ts';
import type { Rule } from './rules.ts';
import { otherTargets, pathTargets, splitTargets } from './targets.ts';
import { keptUpgrades, type Upgrades } from './upgrades.ts';
import type { Budget } from './view.ts';

function allowVerdict(reason: AllowedReason, rule?: Rule): Verdict {
  return { verdict: 'allowed', reason, ...(rule && { rule: rule.id, pattern: rule.pattern }) };
}

function isAllowedClient({ allowedIps, trustedProxies }: Compiled, request: GuardRequest): boolean {
  if (allowedIps.length === 0) return false;
  const address = clientAddress(request, trustedProxies);
  return address !== undefined && isWithin(address, allowedIps);
}

/** Returns the verdict for a request that is allowed without inspection. Returns undefined for all other requests. */
export function bypassVerdict(compiled: Compiled, request: GuardRequest): Verdict | undefined {
  if (!compiled.policy.enabled) return allowVerdict('disabled');
  const { methods } = compiled;
  if (!methods.has('*') && !methods.has(request.method.toUpperCase())) return allowVerdict('method_not_inspected');
  return isAllowedClient(compiled, request) ? allowVerdict('allowed_ip') : undefined;
}

/** Returns what remains of the upgrades of an allowed request. Mode detect changes no headers. */
export function upgradesOf(compiled: Compiled, request: GuardRequest): Upgrades {
  const { enabled, mode, allowUpgrades } = compiled.policy;
  const { headers } = request;
  if (!enabled || isAllowedClient(compiled, request)) return { headers };
  const upgrades = keptUpgrades(headers, allowUpgrades);
  return mode === 'detect' ? { ...upgrades, headers } : upgrades;
}

interface Inspection {
  readonly compiled: Compiled;
  readonly isOff: (rule: Rule) => boolean;
  /** The first rule that excused a candidate. */
  excusedBy: Rule | undefined;
  /** True while custom rules have excused every candidate so far. */
  isCustomAllowed: boolean;
}

/** Returns the verdict when a block rule matches a candidate. Returns undefined for an allow rule or without a rule. */
function blockVerdict({ name }: Target, candidate: string, rule: Rule | undefined): Verdict | undefined {
  if (rule?.action !== 'block') return undefined;
  const { id, pattern } = rule;
  return { verdict: 'blocked', reason: 'block_pattern_match', target: name, candidate, rule: id, pattern };
}

/**
 * Returns the verdict when a block rule matches a shorter reading of the candidate, which no rule matches as a whole.
 */
function inspectShorter({ compiled, isOff }: Inspection, target: Target, candidate: string): Verdict | undefined {
  for (const reading of shorterReadings(candidate, target.kind)) {
    const verdict = blockVerdict(target, reading, compiled.matchers[target.kind](reading, isOff));
    if (verdict) return verdict;
  }
  return undefined;
}

/**
 * An allow rule excuses one candidate from block rules, not the other candidates of the target. No rule excuses a
 * limit.
 */
function inspect(inspection: Inspection, target: Target): Verdict | undefined {
  const matcher = inspection.compiled.matchers[target.kind];
  for (const candidate of target.candidates) {
    const rule = matcher(candidate, inspection.isOff);
    const verdict = rule ? blockVerdict(target, candidate, rule) : inspectShorter(inspection, target, candidate);
    if (verdict) return verdict;
    inspection.excusedBy ??= rule;
    inspection.isCustomAllowed &&= rule?.isCustom === true;
  }
  return target.limit && { verdict: 'blocked', reason: target.limit, target: target.name };
}

export interface Inspected {
  readonly paths: readonly Target[];
  /** Targets of query, headers and body. They can be computed lazily. */
  readonly others: Iterable<Target>;
  readonly isOff: (rule: Rule) => boolean;
  /** The amount of the body that `others` has yielded so far. */
  readonly seen: BodyInspection;
}

export function inspectedOf(compiled: Compiled, request: GuardRequest): Inspected {
  const budget: Budget = { used: 0 };
  const seen: BodyInspection = { values: 0, bytes: 0 };
  const parts = splitTargets(request);
  const paths = pathTargets(parts, budget);
  const isOff = createIsOff(compiled.exceptions, request.host ?? '', paths);
  return { paths, others: otherTargets(compiled.policy, request, parts, budget, seen), isOff, seen };
}

/** Custom allow rules allow the request if they excused every candidate of its paths. */
export function decide(compiled: Compiled, { paths, others, isOff, seen }: Inspected): Verdict {
  const inspection: Inspection = { compiled, isOff, excusedBy: undefined, isCustomAllowed: true };
  for (const target of paths) {
    const verdict = inspect(inspection, target);
    if (verdict) return verdict;
  }
  if (inspection.isCustomAllowed) return allowVerdict('allow_pattern_match', inspection.excusedBy);
  for (const target of others) {
    const verdict = inspect(inspection, target);
    if (verdict) return verdict.reason === 'limit_body' ? { ...verdict, body: seen } : verdict;
  }
  return inspection.excusedBy ? allowVerdict('allow_pattern_match', inspection.excusedBy) : allowVerdict('no_match');
}

export function evaluate(compiled: Compiled, request: GuardRequest): Verdict {
  return bypassVerdict(compiled, request) ?? decide(compiled, inspectedOf(compiled, request));
}
