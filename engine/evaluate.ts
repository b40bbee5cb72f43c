/** Evaluates a request to a verdict (docs/engine.md, "Order of evaluation"). */
import type { AllowedReason } from '../contract/policy/reasons.ts';
import { clientAddress, isWithin } from './client-address.ts';
import type { Compiled } from './compiled.ts';
import { createIsOff } from './exceptions.ts';
import { createIsMet } from './exploits.ts';
import { type RuleFilter, shorterReadings } from './matcher.ts';
import type { BodyInspection, GuardRequest, Section, Target, Verdict } from './request.ts';
import type { Rule } from './rules.ts';
import { sectionsOf } from './targets.ts';
import { keptUpgrades, type Upgrades } from './upgrades.ts';

function allowVerdict(reason: AllowedReason, rule?: Rule): Verdict {
  return { verdict: 'allowed', reason, ...(rule && { rule: rule.id, pattern: rule.pattern }) };
}

function isAllowedClient({ allowedIps, trustedProxies }: Compiled, request: GuardRequest): boolean {
  if (allowedIps.length === 0) return false;
  const address = clientAddress(request, trustedProxies);
  return address !== undefined && isWithin(address, allowedIps);
}

function isBanned(compiled: Compiled, request: GuardRequest): boolean {
  const address = request.bans && clientAddress(request, compiled.trustedProxies);
  return address !== undefined && request.bans?.has(address) === true && !isAllowedClient(compiled, request);
}

/** Returns why a request is allowed without inspection. Returns undefined for all other requests. */
function bypassReason(compiled: Compiled, request: GuardRequest): AllowedReason | undefined {
  if (!compiled.policy.enabled) return 'disabled';
  const { methods } = compiled;
  if (!methods.has('*') && !methods.has(request.method.toUpperCase())) return 'method_not_inspected';
  return isAllowedClient(compiled, request) ? 'allowed_ip' : undefined;
}

/** The method that opens a tunnel, and the entry of `allowUpgrades` that allows it. */
const connect = 'CONNECT';

/** Returns what remains of the upgrades of an allowed request. Mode detect changes no headers. */
export function upgradesOf(compiled: Compiled, request: GuardRequest): Upgrades {
  const { enabled, mode, allowUpgrades } = compiled.policy;
  const { headers } = request;
  if (!enabled || isAllowedClient(compiled, request)) return { headers };
  if (request.method === connect && !allowUpgrades.some((protocol) => protocol.toUpperCase() === connect))
    return { refused: connect, ends: mode !== 'detect', headers };
  const upgrades = keptUpgrades(headers, allowUpgrades);
  return mode === 'detect' ? { ...upgrades, headers } : upgrades;
}

/** What the paths of a section decide for its targets. */
interface Scope extends RuleFilter {
  /** True while custom rules have excused every candidate so far. */
  isExcused: boolean;
}

interface Inspection {
  readonly compiled: Compiled;
  readonly scope: Scope;
  /** True for a method that the policy does not inspect, but that exploits use. */
  readonly isExploitsOnly: boolean;
  /** Called with each rule that excuses a candidate. */
  readonly onExcused: (rule: Rule) => void;
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
function inspectShorter({ compiled, scope }: Inspection, target: Target, candidate: string): Verdict | undefined {
  for (const reading of shorterReadings(candidate, target.kind)) {
    const verdict = blockVerdict(target, reading, compiled.matcherOf(target.kind)(reading, scope));
    if (verdict) return verdict;
  }
  return undefined;
}

/**
 * An allow rule excuses one candidate from block rules, not the other candidates of the target. No rule excuses a
 * limit. No limit blocks a request that is only inspected for exploits.
 */
function inspect(inspection: Inspection, target: Target): Verdict | undefined {
  const { compiled, scope, onExcused } = inspection;
  for (const candidate of target.candidates) {
    const rule = compiled.matcherOf(target.kind)(candidate, scope);
    const verdict = rule ? blockVerdict(target, candidate, rule) : inspectShorter(inspection, target, candidate);
    if (verdict) return verdict;
    if (rule) onExcused(rule);
    scope.isExcused &&= rule?.isCustom === true;
  }
  if (target.limit === undefined || inspection.isExploitsOnly) return undefined;
  return { verdict: 'blocked', reason: target.limit, target: target.name };
}

/** Inspects the paths, then the values unless custom allow rules excused every candidate of the paths. */
function inspectSection(inspection: Inspection, { paths = [], values }: Section): Verdict | undefined {
  for (const target of paths) {
    const verdict = inspect(inspection, target);
    if (verdict) return verdict;
  }
  if (inspection.scope.isExcused) return undefined;
  for (const target of values) {
    const verdict = inspect(inspection, target);
    if (verdict) return verdict;
  }
  return undefined;
}

/**
 * Yields the sections of a request with their scopes. The paths of the request also decide for cookies and the body,
 * those of a header only for this header.
 */
export function* scopedSections(
  compiled: Compiled,
  request: GuardRequest,
  seen: BodyInspection,
  isExploitsOnly = false,
): Generator<{ readonly section: Section; readonly scope: Scope }> {
  let ofRequest: Scope | undefined;
  for (const section of sectionsOf(compiled, request, seen)) {
    const { paths = [] } = section;
    const isOwn = ofRequest === undefined || section.paths !== undefined;
    const isOff = createIsOff(compiled, request, paths);
    const isMet = createIsMet(request, {
      isOfRequest: ofRequest === undefined,
      isExploitsOnly,
      maxBodyBytes: compiled.policy.maxBodyBytes,
    });
    const scope = isOwn ? { isOff, isMet, isExcused: true } : ofRequest;
    ofRequest ??= scope;
    yield { section, scope: scope as Scope };
    if (isExploitsOnly) return;
  }
}

function decide(compiled: Compiled, request: GuardRequest, isExploitsOnly = false): Verdict {
  let excusedBy: Rule | undefined;
  const onExcused = (rule: Rule) => {
    excusedBy ??= rule;
  };
  const seen: BodyInspection = { values: 0, bytes: 0 };
  for (const { section, scope } of scopedSections(compiled, request, seen, isExploitsOnly)) {
    const verdict = inspectSection({ compiled, scope, isExploitsOnly, onExcused }, section);
    if (verdict) return verdict.reason === 'limit_body' ? { ...verdict, body: seen } : verdict;
  }
  return excusedBy ? allowVerdict('allow_pattern_match', excusedBy) : allowVerdict('no_match');
}

/** Returns the verdict on a request whose method the policy does not inspect: only exploits of its method block it. */
function exploitVerdict(compiled: Compiled, request: GuardRequest): Verdict | undefined {
  if (!compiled.exploitMethods.has(request.method.toUpperCase()) || isAllowedClient(compiled, request))
    return undefined;
  const verdict = decide(compiled, request, true);
  return verdict.verdict === 'blocked' ? verdict : undefined;
}

export function evaluate(compiled: Compiled, request: GuardRequest): Verdict {
  if (compiled.policy.enabled && isBanned(compiled, request)) return { verdict: 'blocked', reason: 'banned' };
  const reason = bypassReason(compiled, request);
  if (reason === undefined) return decide(compiled, request);
  return (reason === 'method_not_inspected' && exploitVerdict(compiled, request)) || allowVerdict(reason);
}
