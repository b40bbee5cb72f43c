/** For every active rule one request that it must catch and a near miss on which it must stay silent. */
import builtIn from '../../../contract/policy/patterns.json' with { type: 'json' };
import { patternId } from '../../../contract/policy/rule-ids.ts';
import type { Policy, TargetKind } from '../../../contract/policy/schema.ts';
import { asPath, asValue, examplesOf, neighboursOf } from '../examples.ts';
import type { Probe, ProbeRequest, Skipped } from '../probe.ts';
import { isBypassed, isObjection, ruleOf, type Setting } from '../setting.ts';

type Action = 'block' | 'allow';

/** A rule of the policy with what may match it and what may just not. */
interface ActiveRule {
  readonly id: string;
  readonly action: Action;
  readonly targets: readonly TargetKind[];
  readonly matches: readonly string[];
  readonly misses: readonly string[];
}

const form = 'application/x-www-form-urlencoded';

/** The built-in rules carry a target each way, and more examples for policies that do not inspect what it is in. */
function builtInRules(policy: Policy): ActiveRule[] {
  return (builtIn as readonly BuiltIn[])
    .filter(({ action }) => (action === 'block' ? policy.enableDefaultPatterns : policy.enableDefaultAllowPatterns))
    .filter(({ id }) => !policy.disabledRules.includes(id))
    .map(({ id, action, targets, probe, nearProbe, matches, nearMisses }) => ({
      id,
      action,
      targets,
      matches: [probe, ...matches.map(asPath)],
      misses: [nearProbe, ...nearMisses.map(asPath)],
    }));
}

interface BuiltIn {
  readonly id: string;
  readonly action: Action;
  readonly targets: readonly TargetKind[];
  readonly probe: string;
  readonly nearProbe: string;
  /** Candidates, not targets. */
  readonly matches: readonly string[];
  readonly nearMisses: readonly string[];
}

function ownRules(policy: Policy): ActiveRule[] {
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
    const write = (text: string): string => (rule.targets.includes('path') ? asPath(text) : `/?value=${asValue(text)}`);
    const near = examples.flatMap(neighboursOf);
    return { ...rule, matches: examples.map(write), misses: near.map(write) };
  });
}

/** Ways to send a target: as it is, with its query as a form, with each inspected method where one is needed. */
function* requestsFor(target: string, { policy, clientHeaders }: Setting): Iterable<ProbeRequest> {
  const any = policy.methods.includes('*');
  const methods = any || policy.methods.includes('GET') ? ['GET'] : policy.methods;
  for (const method of methods) yield { method, target, headers: clientHeaders };
  const [path = '/', query] = target.split(/\?(.*)/s);
  if (query === undefined || !policy.checkBody || policy.checkQuery) return;
  const [posted = 'POST'] = any
    ? ['POST']
    : [...policy.methods].sort((a, b) => Number(b === 'POST') - Number(a === 'POST'));
  yield { method: posted, target: path, headers: [...clientHeaders, ['Content-Type', form]], body: query };
}

/** The first request of these targets that `accepts` takes. */
function firstOf(
  targets: readonly string[],
  setting: Setting,
  accepts: (request: ProbeRequest) => boolean,
): ProbeRequest | undefined {
  for (const target of targets)
    for (const request of requestsFor(target, setting)) if (accepts(request)) return request;
  return undefined;
}

const inspects: Record<TargetKind, (policy: Policy) => boolean> = {
  path: () => true,
  query: ({ checkQuery }) => checkQuery,
  body: ({ checkBody }) => checkBody,
};

/** Why no request can show the rule. */
function hindrance(rule: ActiveRule, setting: Setting): string {
  const { policy } = setting;
  if (!policy.enabled) return 'the policy is not enabled';
  if (isBypassed(setting)) return `allowedIps holds ${setting.peer}, the address that this machine has in the sandbox`;
  if (!rule.targets.some((kind) => inspects[kind](policy))) {
    return `it looks at ${rule.targets.join(' and ')}, which the policy does not inspect`;
  }
  const [first] = rule.matches;
  if (first === undefined) return 'no example could be made from its pattern';
  const outcome = setting.outcome({ method: 'GET', target: first, headers: setting.clientHeaders });
  const other = ruleOf(outcome);
  if (other !== undefined && other !== rule.id) return `${other} comes before it for every example`;
  return 'no request was found that reaches it';
}

/** An allow rule speaks by letting pass; a block rule by objecting. */
function isCaughtBy({ id, action }: ActiveRule, setting: Setting): (request: ProbeRequest) => boolean {
  return (request) => {
    const outcome = setting.outcome(request);
    return ruleOf(outcome) === id && isObjection(outcome) === (action === 'block');
  };
}

function matchOf(rule: ActiveRule, setting: Setting): Probe | Skipped {
  const id = `match:${rule.id}`;
  const request = firstOf(rule.matches, setting, isCaughtBy(rule, setting));
  if (!request) return { id, source: 'match', reason: hindrance(rule, setting) };
  const description = rule.action === 'block' ? `${rule.id} catches its example` : `${rule.id} lets its example pass`;
  return { id, source: 'match', description, requests: [request] };
}

function nearMissOf(rule: ActiveRule, setting: Setting): Probe | Skipped {
  const id = `near_miss:${rule.id}`;
  const isSilent = (request: ProbeRequest): boolean => {
    const outcome = setting.outcome(request);
    return outcome.kind !== 'refused' && ruleOf(outcome) !== rule.id;
  };
  const request = firstOf(rule.misses, setting, isSilent);
  if (!request) return { id, source: 'near_miss', reason: 'no near miss could be made from its pattern' };
  return { id, source: 'near_miss', description: `${rule.id} stays silent on a near miss`, requests: [request] };
}

/** Matches first, then near misses; a near miss says nothing of a rule that no match can show. */
export function ruleProbes(setting: Setting): (Probe | Skipped)[] {
  const rules = [...ownRules(setting.policy), ...builtInRules(setting.policy)];
  const matches = rules.map((rule) => ({ rule, row: matchOf(rule, setting) }));
  const shown = matches.filter(({ row }) => !('reason' in row));
  return [...matches.map(({ row }) => row), ...shown.map(({ rule }) => nearMissOf(rule, setting))];
}
