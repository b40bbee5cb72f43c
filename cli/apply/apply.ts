/** Replaces the policy of guard handlers in a running Caddy and verifies that the new policy is live. */
import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '../../contract/policy/schema.ts';
import { snakeCaseKeys } from '../../contract/values/keys.ts';
import { CleanupError, ExternalError, UsageError } from '../../platform/errors.ts';
import { sparsePolicy } from '../generate/sparse.ts';
import { type Admin, type AdminResponse, isUnsent, messageOf } from './admin.ts';
import {
  type Change,
  changedConfig,
  changeOf,
  type Difference,
  differencesOf,
  haveSamePolicy,
  policyOf,
  withoutSecrets,
} from './change.ts';
import {
  type Choice,
  type Fields,
  guardHandlers,
  type Handler,
  matchingHandlers,
  pathText,
  valueAt,
} from './handlers.ts';

export interface Applied {
  /** Paths of the handlers, such as `/config/apps/http/servers/srv0/routes/0/handle/0`. */
  readonly handlers: readonly string[];
  readonly differences: readonly Difference[];
  readonly changed: boolean;
}

const applyError = (message: string, code: string, output: string): ExternalError =>
  new ExternalError(message, { code, failed: { tool: 'caddy', output } });

function unverifiedError(error: Error): Error {
  const isInterruption = error.name === 'AbortError';
  if (!isInterruption && !(error instanceof ExternalError)) return error;
  return new CleanupError('the policy was sent to Caddy, and it is not known whether it is live', {
    code: 'outcome_unknown',
    hint: 'run the command again: it changes nothing if the policy is live',
    cause: error,
    failed: { tool: 'caddy', output: isInterruption ? 'interrupted' : error.message },
  });
}

const pathsText = (handlers: readonly Handler[]): string => handlers.map(({ path }) => pathText(path)).join(', ');

function chooseHandlers(config: unknown, choice: Choice): Handler[] {
  const all = guardHandlers(config);
  if (all.length === 0) {
    const hint = 'add a guard to its configuration first; guardcli generate caddy prints one';
    throw new UsageError('the running Caddy has no guard', { code: 'no_guard', hint });
  }
  const handlers = matchingHandlers(all, choice);
  if (handlers.length === 0) {
    throw new UsageError('no guard of the running Caddy matches the options', {
      code: 'no_guard',
      hint: `the guards are ${pathsText(all)}`,
    });
  }
  if (!haveSamePolicy(handlers)) {
    throw new UsageError('the guards of the running Caddy have different policies', {
      code: 'several_guards',
      hint: `select one with --handler and its path, or some with --server, --route or --id; the guards are ${pathsText(handlers)}`,
    });
  }
  return handlers;
}

/** True when the configuration has the policy and the running guard reports it as live. */
async function isLive(admin: Admin, { status, body }: AdminResponse, handlers: readonly Handler[], policy: Fields) {
  const isWritten = handlers.every(({ path }) => {
    const value = valueAt(body, path) as Handler['value'] | undefined;
    return value !== undefined && isDeepStrictEqual(policyOf({ ...(handlers[0] as Handler), value }), policy);
  });
  if (status !== 200 || !isWritten) return false;
  const live = await admin.get('/guard/policies');
  // Older guards lack this endpoint. Then the written configuration is the only evidence.
  if (live.status === 404) return true;
  // Older guards report secrets too.
  const reports = [withoutSecrets(policy), policy];
  return Array.isArray(live.body) && live.body.some((one) => reports.some((report) => isDeepStrictEqual(one, report)));
}

const overtakenMessage =
  'another writer changed the configuration first, so the old policy was not restored; apply it again';

/**
 * Restores the old configuration and returns the outcome as text. Restores nothing after a change by another writer,
 * because the paths of the handlers may then refer to something else.
 * @param old the configuration before the change
 * @param current the configuration after it
 */
async function restoreConfig(admin: Admin, old: unknown, change: Change, current: AdminResponse): Promise<string> {
  if (isDeepStrictEqual(current.body, old)) return 'the old policy is in place';
  if (!isDeepStrictEqual(current.body, changedConfig(old, change))) return overtakenMessage;
  const answer = await admin.patch(pathText(change.path), valueAt(old, change.path), current.etag);
  if (answer.status === 412) return overtakenMessage;
  return answer.status === 200
    ? 'the old policy was restored'
    : `the old policy could not be restored (${messageOf(answer)})`;
}

async function readConfig(admin: Admin) {
  const answer = await admin.get('/config/');
  // Caddy without a configuration returns null. A string means that the server is not an admin API.
  if (answer.status === 200 && typeof answer.body === 'object') return answer;
  throw new ExternalError('the server at this address does not return a Caddy configuration', {
    code: 'admin_refused',
    hint: 'pass the address of the admin API, not of a site: the `admin` option of Caddy (default: localhost:2019)',
    failed: { tool: 'caddy', output: messageOf(answer) },
  });
}

/** Refuses to end the file of events silently, because `intake` of tcp-guard would then see no event. */
function requireEventFile(differences: readonly Difference[]): void {
  const lost = differences.find(({ key, new: fresh }) => key === 'security_log_file' && fresh === undefined);
  if (lost === undefined) return;
  const file = JSON.stringify(lost.old);
  throw new UsageError(`the running guard appends its events to ${file}, and the new policy has no securityLogFile`, {
    code: 'event_file_lost',
    hint: `add "securityLogFile": ${file} to the policy; with --yes its events go to standard output`,
  });
}

export interface ApplyOptions {
  /** Only report the change. */
  readonly isDry?: boolean;
  /** Accept a policy that ends the file of events. */
  readonly mayLoseEventFile?: boolean;
}

/**
 * Gives the policy to the chosen guards and checks that it is live.
 * @throws UsageError when no guard matches the choice, the chosen guards have different policies, or their file of events
 * would end; ExternalError when the new policy is not live; CleanupError when it is not known whether the new policy is
 * live
 */
export async function apply(
  admin: Admin,
  policy: Policy,
  choice: Choice,
  { isDry = false, mayLoseEventFile = false }: ApplyOptions = {},
): Promise<Applied> {
  const { body: config, etag } = await readConfig(admin);
  const handlers = chooseHandlers(config, choice);
  const fresh = snakeCaseKeys(sparsePolicy(policy)) as Fields;
  const found = differencesOf(policyOf(handlers[0] as Handler), fresh);
  const result = { handlers: handlers.map(({ path }) => pathText(path)), differences: found, changed: false };
  if (isDry || found.length === 0) return result;
  if (!mayLoseEventFile) requireEventFile(found);
  const change = changeOf(config, handlers, fresh);
  const answer = await admin.patch(pathText(change.path), change.value, etag).catch((error: Error) => {
    throw isUnsent(error) ? error : unverifiedError(error);
  });
  if (answer.status === 412) {
    throw applyError(
      'the configuration changed in the meantime; nothing was applied',
      'config_changed',
      messageOf(answer),
    );
  }
  if (answer.status !== 200) {
    throw applyError('Caddy refused the policy and keeps the old one', 'policy_refused', messageOf(answer));
  }
  const check = async (): Promise<string | undefined> => {
    const current = await admin.get('/config/');
    return (await isLive(admin, current, handlers, fresh)) ? undefined : restoreConfig(admin, config, change, current);
  };
  const outcome = await check().catch((error: Error) => {
    throw unverifiedError(error);
  });
  if (outcome !== undefined) throw applyError('the new policy is not live', 'not_live', outcome);
  return { ...result, changed: true };
}
