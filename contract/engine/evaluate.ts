/** From a request to a verdict (docs/engine.md, "Order of evaluation"). */
import type { AllowedReason } from '../policy/reasons.ts';
import { clientAddress, isWithin } from './client-address.ts';
import type { Compiled } from './compiled.ts';
import { rulesOff } from './exceptions.ts';
import { shorterReadings } from './matcher.ts';
import type { BodyInspection, GuardRequest, Target, Verdict } from './request.ts';
import type { Rule } from './rules.ts';
import { otherTargets, pathTargets, splitTargets } from './targets.ts';
import type { Budget } from './view.ts';

function allowed(reason: AllowedReason, rule?: Rule): Verdict {
  return { verdict: 'allowed', reason, ...(rule && { rule: rule.id, pattern: rule.pattern }) };
}

/** The reason why a request is allowed without inspection. */
function bypass(compiled: Compiled, request: GuardRequest): AllowedReason | undefined {
  if (!compiled.policy.enabled) return 'disabled';
  if (!compiled.methods.has('*') && !compiled.methods.has(request.method.toUpperCase())) return 'method_not_inspected';
  if (compiled.allowedIps.length === 0) return undefined;
  const address = clientAddress(request, compiled.trustedProxies);
  return address && isWithin(address, compiled.allowedIps) ? 'allowed_ip' : undefined;
}

/** One request under inspection. */
interface Inspection {
  readonly compiled: Compiled;
  readonly isOff: (rule: Rule) => boolean;
  /** The first rule that excused a candidate. */
  excusedBy: Rule | undefined;
  /** Every candidate so far was excused by a custom rule. */
  isCustomAllowed: boolean;
}

/** The verdict of the first block rule that matches a reading. */
function blocked({ name }: Target, candidate: string, rule: Rule | undefined): Verdict | undefined {
  if (rule?.action !== 'block') return undefined;
  const { id, pattern } = rule;
  return { verdict: 'blocked', reason: 'block_pattern_match', target: name, candidate, rule: id, pattern };
}

/** The verdict on the shorter readings of a candidate that no rule matches. */
function inspectShorter({ compiled, isOff }: Inspection, target: Target, candidate: string): Verdict | undefined {
  for (const reading of shorterReadings(candidate, target.kind)) {
    const verdict = blocked(target, reading, compiled.matchers[target.kind](reading, isOff));
    if (verdict) return verdict;
  }
  return undefined;
}

/** An allow rule excuses one candidate, never the target or the request. No rule excuses a limit. */
function inspect(inspection: Inspection, target: Target): Verdict | undefined {
  const matcher = inspection.compiled.matchers[target.kind];
  for (const candidate of target.candidates) {
    const rule = matcher(candidate, inspection.isOff);
    const verdict = rule ? blocked(target, candidate, rule) : inspectShorter(inspection, target, candidate);
    if (verdict) return verdict;
    inspection.excusedBy ??= rule;
    inspection.isCustomAllowed &&= rule?.isCustom === true;
  }
  return target.limit && { verdict: 'blocked', reason: target.limit, target: target.name };
}

/** The verdict. Custom allow rules allow the request if they excused every reading of its paths. */
export function evaluate(compiled: Compiled, request: GuardRequest): Verdict {
  const reason = bypass(compiled, request);
  if (reason) return allowed(reason);
  const budget: Budget = { used: 0 };
  const parts = splitTargets(request);
  const paths = pathTargets(parts, budget);
  const isOff = rulesOff(compiled.exceptions, request.host ?? '', paths);
  const inspection: Inspection = { compiled, isOff, excusedBy: undefined, isCustomAllowed: true };
  for (const target of paths) {
    const verdict = inspect(inspection, target);
    if (verdict) return verdict;
  }
  if (inspection.isCustomAllowed) return allowed('allow_pattern_match', inspection.excusedBy);
  const seen: BodyInspection = { values: 0, bytes: 0 };
  for (const target of otherTargets(compiled.policy, request, parts, budget, seen)) {
    const verdict = inspect(inspection, target);
    if (verdict) return verdict.reason === 'limit_body' ? { ...verdict, body: seen } : verdict;
  }
  return inspection.excusedBy ? allowed('allow_pattern_match', inspection.excusedBy) : allowed('no_match');
}
