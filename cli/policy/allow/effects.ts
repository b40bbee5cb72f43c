/** Finds what an exception allows besides the intended request. */

import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { compile, type Guard, type GuardRequest } from '../../../engine/index.ts';
import { splitTarget } from '../../../engine/split.ts';
import { withException } from './propose.ts';
import type { Change, Effects, Exception } from './result.ts';

const shownExamples = 3;
const otherHost = 'another-host.example';
const formType = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

/** Attacks that built-in rules block. Custom rules have no examples. */
const ruleExamples: readonly string[] = [
  ...new Set(builtInRules.filter(({ action }) => action === 'block').flatMap(({ matches }) => matches)),
];

const encodeText = (text: string): string => encodeURIComponent(text).replace(/'/g, '%27');

const nearPaths = (path: string): string[] => {
  const variants = [`${path}/`, `${path}/x`, `${path}.bak`, `/x${path}`, path.toUpperCase()];
  const all = [...variants, path.replace(/[^/]*$/, ''), path.replace(/\/([^/]*)$/, '//$1')];
  return [...new Set(all)].filter((one) => one !== path);
};

/**
 * `request`: a request that the exception may allow. `attack`: the request itself, or the same query or body on the
 * path `/`, which no rule blocks.
 */
interface Attempt {
  readonly request: GuardRequest;
  readonly attack: GuardRequest;
}

interface Group {
  readonly title: string;
  readonly attempts: readonly Attempt[];
}

function groupsOf(request: GuardRequest, policy: Policy): readonly Group[] {
  const { path } = splitTarget(request.target);
  const itself = (one: GuardRequest): Attempt => ({ request: one, attack: one });
  const at = (target: string): GuardRequest => ({ ...request, target });
  const method = policy.methods.find((one) => one !== 'GET' && one !== '*') ?? 'POST';
  const form = (target: string, body: string) => ({ ...at(target), method, headers: [formType], body });
  const attempts = (of: (target: string, value: string) => GuardRequest): Attempt[] =>
    ruleExamples.map((one) => ({ request: of(path, `x=${encodeText(one)}`), attack: of('/', `x=${encodeText(one)}`) }));
  const paths = new Set([...nearPaths(path), ...ruleExamples.filter((one) => one.startsWith('/') && one !== path)]);
  return [
    {
      title: 'the same path on other hosts',
      attempts: request.host === undefined ? [itself({ ...request, host: otherHost })] : [],
    },
    { title: 'other paths', attempts: [...paths].map(at).map(itself) },
    {
      title: 'attacks in the query of this path',
      attempts: policy.checkQuery ? attempts((target, query) => at(`${target}?${query}`)) : [],
    },
    { title: 'attacks in bodies to this path', attempts: policy.checkBody ? attempts(form) : [] },
  ];
}

function changeOf(before: Guard, after: Guard, { request, attack }: Attempt): Change | undefined {
  const { verdict, rule, reason } = before.evaluate(attack);
  if (verdict === 'allowed' || after.evaluate(request).verdict === 'blocked') return undefined;
  const { target, body, host } = request;
  return { target, ...(body !== undefined && { body }), ...(host !== undefined && { host }), rule: rule ?? reason };
}

export function effectsOf(policy: Policy, exception: Exception, request: GuardRequest): Effects {
  const [before, after] = [compile(policy), compile(withException(policy, exception))];
  const groups = groupsOf(request, policy).map(({ title, attempts }) => {
    const changes = attempts.flatMap((one) => changeOf(before, after, one) ?? []);
    return { title, total: changes.length, examples: changes.slice(0, shownExamples) };
  });
  const near = nearPaths(splitTarget(request.target).path);
  const blocked = near.filter((target) => after.evaluate({ ...request, target }).verdict === 'blocked');
  return { allowed: groups.filter(({ total }) => total > 0), blocked };
}
