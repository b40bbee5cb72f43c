/** A match and a near miss for every active rule. */
import { builtInRules as builtIn } from '../../../contract/policy/builtin-rules.ts';
import { isActive } from '../../../contract/policy/engine-rules.ts';
import { exploitExamples, requestOf } from '../../../contract/policy/exploit-examples.ts';
import { type ExploitRule, exploitRules, isExploitOn } from '../../../contract/policy/exploits.ts';
import { headerNameOf, isHeaderTarget } from '../../../contract/policy/headers.ts';
import { patternId } from '../../../contract/policy/pattern-id.ts';
import type { Policy, RuleTarget, TargetKind } from '../../../contract/policy/schema.ts';
import { asPath, asValue, examplesOf, nearTextsOf } from '../examples.ts';
import type { Probe, ProbeRequest, Skipped } from '../probe.ts';
import { isBlockedOrDetected, isBypassed, ruleOf, type Setting } from '../setting.ts';

type Action = 'block' | 'allow';

interface ActiveRule {
  readonly id: string;
  readonly action: Action;
  readonly targets: readonly RuleTarget[];
  /** The header in which the texts are sent. Absent: they are targets of requests. */
  readonly header?: string;
  readonly matches: readonly string[];
  readonly misses: readonly string[];
}

const formType = 'application/x-www-form-urlencoded';

/**
 * Returns the active rules. The policy may ignore the part of the request that `probe` uses, so other examples follow
 * as paths.
 */
function builtInRules(policy: Policy): ActiveRule[] {
  return builtIn
    .filter((rule) => isActive(rule, policy))
    .map(({ id, action, targets, probe, nearProbe, matches, nearMisses }) => ({
      id,
      action,
      targets,
      matches: [probe, ...matches.map(asPath)],
      misses: [nearProbe, ...nearMisses.map(asPath)],
    }));
}

function customRules(policy: Policy): ActiveRule[] {
  const all: TargetKind[] = ['path', 'query', 'body'];
  const listed = (action: Action, patterns: readonly string[]) =>
    patterns.map((pattern, index) => ({ id: patternId(action, index), action, targets: all, pattern }));
  const rules = [
    ...listed('block', policy.blockPatterns),
    ...listed('allow', policy.allowPatterns),
    ...policy.rules.map(({ id, action, targets, pattern }) => ({ id, action, targets, pattern })),
  ];
  return rules.map(({ pattern, ...rule }) => {
    const examples = examplesOf(pattern);
    const nearMisses = examples.flatMap(nearTextsOf);
    const first = rule.targets.find(isHeaderTarget);
    if (first && !rule.targets.includes('path'))
      return { ...rule, header: headerNameOf(first), matches: examples, misses: nearMisses };
    const write = (text: string): string => (rule.targets.includes('path') ? asPath(text) : `/?value=${asValue(text)}`);
    return { ...rule, matches: examples.map(write), misses: nearMisses.map(write) };
  });
}

/**
 * Yields requests for a target, or for the value of a header: with GET, or with each inspected method if the policy does not inspect GET. A policy
 * that inspects the body but not the query also gets the query as a form.
 */
function* requestsFor(text: string, setting: Setting, header?: string): Iterable<ProbeRequest> {
  const { policy } = setting;
  const clientHeaders = [...setting.clientHeaders, ...(header === undefined ? [] : [[header, text] as const])];
  const target = header === undefined ? text : '/';
  const any = policy.methods.includes('*');
  const methods = any || policy.methods.includes('GET') ? ['GET'] : policy.methods;
  for (const method of methods) yield { method, target, headers: clientHeaders };
  const [path = '/', query] = target.split(/\?(.*)/s);
  if (query === undefined || !policy.checkBody || policy.checkQuery) return;
  const [posted = 'POST'] = any
    ? ['POST']
    : [...policy.methods].sort((a, b) => Number(b === 'POST') - Number(a === 'POST'));
  yield { method: posted, target: path, headers: [...clientHeaders, ['Content-Type', formType]], body: query };
}

function firstOf(
  texts: readonly string[],
  { header }: ActiveRule,
  setting: Setting,
  accepts: (request: ProbeRequest) => boolean,
): ProbeRequest | undefined {
  for (const text of texts)
    for (const request of requestsFor(text, setting, header)) if (accepts(request)) return request;
  return undefined;
}

const inspects: Record<TargetKind, (policy: Policy) => boolean> = {
  path: () => true,
  query: ({ checkQuery }) => checkQuery,
  body: ({ checkBody }) => checkBody,
};

function skipReasonOf(rule: ActiveRule, setting: Setting): string {
  const { policy } = setting;
  if (!policy.enabled) return 'the policy is not enabled';
  if (isBypassed(setting)) return `allowedIps holds ${setting.peer}, the client address of this machine in the sandbox`;
  if (!rule.targets.some((target) => isHeaderTarget(target) || inspects[target](policy))) {
    return `it inspects ${rule.targets.join(' and ')}, which the policy does not inspect`;
  }
  const [first] = rule.matches;
  if (first === undefined) return 'no example could be built from its pattern';
  const [request] = requestsFor(first, setting, rule.header);
  const outcome = setting.outcome({ ...(request as ProbeRequest), method: 'GET' });
  const other = ruleOf(outcome);
  if (other !== undefined && other !== rule.id) return `${other} matches first for every example`;
  return 'no request was found that reaches it';
}

/** Returns a predicate for requests that the rule decides: an allow rule passes them, a block rule blocks them. */
function isCaughtBy({ id, action }: ActiveRule, setting: Setting): (request: ProbeRequest) => boolean {
  return (request) => {
    const outcome = setting.outcome(request);
    return ruleOf(outcome) === id && isBlockedOrDetected(outcome) === (action === 'block');
  };
}

function matchOf(rule: ActiveRule, setting: Setting): Probe | Skipped {
  const id = `match:${rule.id}`;
  const request = firstOf(rule.matches, rule, setting, isCaughtBy(rule, setting));
  if (!request) return { id, source: 'match', reason: skipReasonOf(rule, setting) };
  const description = rule.action === 'block' ? `${rule.id} catches its example` : `${rule.id} allows its example`;
  return { id, source: 'match', description, requests: [request] };
}

function nearMissOf(rule: ActiveRule, setting: Setting): Probe | Skipped {
  const id = `near_miss:${rule.id}`;
  const isSilent = (request: ProbeRequest): boolean => {
    const outcome = setting.outcome(request);
    return outcome.kind !== 'refused' && ruleOf(outcome) !== rule.id;
  };
  const request = firstOf(rule.misses, rule, setting, isSilent);
  if (!request) return { id, source: 'near_miss', reason: 'no near miss could be built from its pattern' };
  return { id, source: 'near_miss', description: `${rule.id} does not match a near miss`, requests: [request] };
}

/** Returns the first of the requests of a row about an exploit for which the proxy with the policy has the outcome. */
function exploitProbe(rule: ExploitRule, source: 'match' | 'near_miss', setting: Setting): Probe | Skipped {
  const id = `${source}:${rule.id}`;
  const isMatch = source === 'match';
  const { attacks, nearMisses } = exploitExamples(rule.id);
  const requests = (isMatch ? attacks : nearMisses).map(requestOf).map((request) => ({
    ...request,
    headers: [...setting.clientHeaders, ...request.headers],
  }));
  const request = requests.find((one) => {
    const outcome = setting.outcome(one);
    if (isMatch) return ruleOf(outcome) === rule.id && isBlockedOrDetected(outcome);
    return outcome.kind !== 'refused' && ruleOf(outcome) !== rule.id;
  });
  if (!request) return { id, source, reason: 'no request was found that reaches it' };
  const description = isMatch ? `${rule.id} catches an attack` : `${rule.id} does not match an honest request`;
  return { id, source, description, requests: [request] };
}

function exploitProbes(setting: Setting): (Probe | Skipped)[] {
  const { exploits, disabledRules } = setting.policy;
  const rules = exploitRules().filter((rule) => isExploitOn(rule, exploits) && !disabledRules.includes(rule.id));
  const matches = rules.map((rule) => exploitProbe(rule, 'match', setting));
  const shown = rules.filter((_, index) => !('reason' in (matches[index] as object)));
  return [...matches, ...shown.map((rule) => exploitProbe(rule, 'near_miss', setting))];
}

/** Returns the probes of all rules. A near miss proves nothing for a rule without a match. */
export function ruleProbes(setting: Setting): (Probe | Skipped)[] {
  const rules = [...customRules(setting.policy), ...builtInRules(setting.policy)];
  const matches = rules.map((rule) => ({ rule, row: matchOf(rule, setting) }));
  const shown = matches.filter(({ row }) => !('reason' in row));
  return [
    ...matches.map(({ row }) => row),
    ...shown.map(({ rule }) => nearMissOf(rule, setting)),
    ...exploitProbes(setting),
  ];
}
