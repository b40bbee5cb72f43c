/** Proposes the narrowest exception that allows a request. */

import { limits } from '../../../contract/policy/limits.ts';
import { Exception as ExceptionSchema, type Policy } from '../../../contract/policy/schema.ts';
import { asSent } from '../../../engine/hosts/received.ts';
import { compile, type GuardRequest, pathCandidates, type Trace } from '../../../engine/index.ts';
import { splitTarget } from '../../../engine/split.ts';
import { UsageError } from '../../../platform/errors.ts';
import { proxies } from '../../targets/table.ts';
import type { Exception } from './result.ts';

export const withException = (policy: Policy, exception: Exception): Policy => ({
  ...policy,
  exceptions: [...policy.exceptions, { ...exception, hosts: exception.hosts ?? [], clients: [] }],
});

/**
 * Returns the request with its target as sent, and with each other target that a proxy passes to the guard. Targets
 * differ because Traefik cleans paths.
 */
async function receivedRequestsOf(request: GuardRequest): Promise<GuardRequest[]> {
  const hosts = await Promise.all(proxies.map((proxy) => proxy.loadHost()));
  const received = hosts
    .map(({ receives }) => receives(asSent(request)))
    .flatMap((answer) => (answer.kind === 'passed' ? [answer.target] : []));
  return [...new Set([request.target, ...received])].map((target) => ({ ...request, target }));
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Returns a regular expression for exactly the candidates of these paths. */
function pathPattern(requests: readonly GuardRequest[]): string {
  const found = requests.flatMap(({ target }) => pathCandidates(splitTarget(target).path).candidates);
  const [first = '', ...others] = [...new Set(found)].map(escapePattern);
  return others.length === 0 ? `^${first}$` : `^(?:${[first, ...others].join('|')})$`;
}

const blockersOf = ({ targets }: Trace): string[] =>
  targets.flatMap(({ candidates }) =>
    candidates.flatMap(({ blockedBy }) => (blockedBy === undefined ? [] : [blockedBy])),
  );

/** Checks an exception with the schema. @throws UsageError when the host is not a host name, or the path is too long */
function checkedException(exception: Exception): Exception {
  const result = ExceptionSchema.safeParse(exception);
  if (result.success) return exception;
  const { path = [], message = '' } = result.error.issues[0] ?? {};
  if (path[0] === 'hosts') {
    const hint = 'pass a host name without scheme, port and path, such as shop.example.com';
    throw new UsageError(`${JSON.stringify(exception.hosts?.[0])} is not a host: ${message}`, {
      code: 'bad_host',
      hint,
    });
  }
  throw new UsageError('the path is too long for an exception', {
    code: 'long_path',
    hint: `write one by hand, whose regex has at most ${limits.regexBytes} bytes`,
  });
}

const placeOf = (requests: readonly GuardRequest[], { host }: GuardRequest): Omit<Exception, 'rules'> => ({
  path: pathPattern(requests),
  ...(host !== undefined && { hosts: [host] }),
});

/** Returns an exception that switches off the rules for exactly the path of the request. */
export async function exceptionFor(request: GuardRequest, rules: string[]): Promise<Exception> {
  return checkedException({ rules, ...placeOf(await receivedRequestsOf(request), request) });
}

/**
 * Returns the narrowest exception. Returns undefined when the policy allows the request already, or when the request
 * exceeds a limit, which no exception lifts.
 * @throws UsageError when the exception would not be valid
 */
export async function propose(policy: Policy, request: GuardRequest): Promise<Exception | undefined> {
  const receivedRequests = await receivedRequestsOf(request);
  const place = placeOf(receivedRequests, request);
  const rules = new Set<string>();
  // Each round finds the next rules: a trace shows only the first rule that blocks a candidate.
  for (;;) {
    const exception = { rules: [...rules], ...place };
    const guard = compile(rules.size === 0 ? policy : withException(policy, exception));
    const traces = receivedRequests.map((received) => guard.trace(received));
    if (traces.every(({ verdict }) => verdict.verdict === 'allowed'))
      return rules.size === 0 ? undefined : checkedException(exception);
    const found = traces.flatMap(blockersOf).filter((rule) => !rules.has(rule));
    if (found.length === 0) return undefined;
    for (const rule of found) rules.add(rule);
    checkedException({ ...exception, rules: [...rules] });
  }
}
