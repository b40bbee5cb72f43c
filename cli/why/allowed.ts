/** Finds the exception that would allow the blocked request. */
import { exploitRules } from '../../contract/policy/exploits.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { hostName } from '../../engine/host-name.ts';
import type { GuardRequest } from '../../engine/index.ts';
import { UsageError } from '../../platform/errors.ts';
import { isLimit } from '../evaluate/bounds.ts';
import { exceptionFor, propose } from '../policy/allow/propose.ts';
import type { Exception } from '../policy/allow/result.ts';
import type { FoundEvent } from './event.ts';

export interface Allowed {
  /**
   * - `proposed`: the exception allows the request
   * - `allowed`: the policy does not block the request
   * - `limit`: no exception lifts the exceeded limit
   * - `cut`: the event has only a part of the target, or none
   * - `impossible`: the path or the host is not valid in an exception
   */
  readonly status: 'proposed' | 'allowed' | 'limit' | 'cut' | 'impossible';
  readonly exception?: Exception;
}

/** Mark at the end of a value that a gateway cut, and the characters of the shortest such value. */
const [cutMark, shortestCut] = ['...', 150];

const isCut = (value: string): boolean => value === '' || (value.length >= shortestCut && value.endsWith(cutMark));

/** Whether the target alone decides. Some rules about exploits also need headers or a body, which no event has. */
const isDecidedByTarget = ({ target, rule_id }: FoundEvent): boolean =>
  (target === 'path' || target === 'query') &&
  !exploitRules().some(({ id, conditions }) => id === rule_id && conditions.set === 'all');

async function exceptionOf(event: FoundEvent, policy: Policy): Promise<Exception | undefined> {
  const host = hostName(event.host);
  const request: GuardRequest = {
    ...{ method: event.method, target: event.request_uri, headers: [] },
    ...(host !== '' && { host }),
  };
  return isDecidedByTarget(event) ? propose(policy, request) : exceptionFor(request, [event.rule_id]);
}

export async function allowedFor(event: FoundEvent, policy: Policy): Promise<Allowed> {
  if (isLimit(event.reason)) return { status: 'limit' };
  if (isCut(event.request_uri)) return { status: 'cut' };
  try {
    const exception = await exceptionOf(event, policy);
    return exception ? { status: 'proposed', exception } : { status: 'allowed' };
  } catch (error) {
    if (error instanceof UsageError) return { status: 'impossible' };
    throw error;
  }
}
