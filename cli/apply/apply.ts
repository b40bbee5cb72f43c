/** Replaces the policy of guard handlers in a running Caddy, and proves that the new one is live. */
import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '../../contract/policy/schema.ts';
import { snakeCaseKeys } from '../../contract/schema/keys.ts';
import { ExternalError, UsageError } from '../../platform/errors.ts';
import { sparse } from '../generate/sparse.ts';
import { type Admin, type Answer, messageOf } from './admin.ts';
import { type Change, changed, changeOf, type Difference, differences, isOnePolicy, policyOf } from './change.ts';
import { type Choice, chosen, type Fields, guardHandlers, type Handler, pathText, valueAt } from './handlers.ts';

export interface Applied {
  /** Where the handlers stand, such as `/config/apps/http/servers/srv0/routes/0/handle/0`. */
  readonly handlers: readonly string[];
  readonly differences: readonly Difference[];
  /** Whether Caddy was asked to change anything. */
  readonly changed: boolean;
}

const failed = (message: string, code: string, output: string): ExternalError =>
  new ExternalError(message, { code, failed: { tool: 'caddy', output } });

const listed = (handlers: readonly Handler[]): string => handlers.map(({ path }) => pathText(path)).join(', ');

function choose(config: unknown, choice: Choice): Handler[] {
  const all = guardHandlers(config);
  if (all.length === 0) {
    const hint = 'its configuration needs a guard first: guardcli generate caddy prints one';
    throw new UsageError('the running Caddy has no guard', { code: 'no_guard', hint });
  }
  const handlers = chosen(all, choice);
  if (handlers.length === 0) {
    throw new UsageError('no guard of the running Caddy is meant', {
      code: 'no_guard',
      hint: `there are ${listed(all)}`,
    });
  }
  if (!isOnePolicy(handlers)) {
    throw new UsageError('the guards of the running Caddy have different policies', {
      code: 'several_guards',
      hint: `choose by --server, --route or --id; there are ${listed(handlers)}`,
    });
  }
  return handlers;
}

/** Whether the handlers have the policy in the configuration that runs, and a live guard says that it has it. */
async function isLive(admin: Admin, { status, body }: Answer, handlers: readonly Handler[], policy: Fields) {
  const isWritten = handlers.every(({ path }) => {
    const value = valueAt(body, path) as Handler['value'] | undefined;
    return value !== undefined && isDeepStrictEqual(policyOf({ ...(handlers[0] as Handler), value }), policy);
  });
  if (status !== 200 || !isWritten) return false;
  const live = await admin.get('/guard/policies');
  // Guards before this endpoint can only be believed.
  if (live.status === 404) return true;
  return Array.isArray(live.body) && live.body.some((one) => isDeepStrictEqual(one, policy));
}

const overtaken = 'another change came first, so nothing was put back; apply the old policy again';

/**
 * Puts the old configuration back and returns what came of it. The ETag is that of our own change: where another writer
 * changed the configuration since, the paths of the handlers may belong to something else.
 * @param old the configuration before the change
 * @param current the configuration after it
 */
async function restore(admin: Admin, old: unknown, change: Change, current: Answer): Promise<string> {
  if (isDeepStrictEqual(current.body, old)) return 'the old policy is in place';
  if (!isDeepStrictEqual(current.body, changed(old, change))) return overtaken;
  const answer = await admin.patch(pathText(change.path), valueAt(old, change.path), current.etag);
  if (answer.status === 412) return overtaken;
  return answer.status === 200
    ? 'the old policy is back'
    : `the old policy could not be put back (${messageOf(answer)})`;
}

async function read(admin: Admin) {
  const answer = await admin.get('/config/');
  // Caddy without a configuration says null; a text is a page of something else.
  if (answer.status === 200 && typeof answer.body === 'object') return answer;
  throw new ExternalError('what answers there gives no configuration of Caddy', {
    code: 'admin_refused',
    hint: 'give the address of the admin API, not of a site: the `admin` option of Caddy, localhost:2019 if it has none',
    failed: { tool: 'caddy', output: messageOf(answer) },
  });
}

/**
 * @param isDry tell what would change, and change nothing
 * @throws UsageError when it is not clear which guard is meant, ExternalError when Caddy does not do as it is told: then
 * it runs with the old policy
 */
export async function apply(admin: Admin, policy: Policy, choice: Choice, isDry: boolean): Promise<Applied> {
  const { body: config, etag } = await read(admin);
  const handlers = choose(config, choice);
  const fresh = snakeCaseKeys(sparse(policy)) as Fields;
  const found = differences(policyOf(handlers[0] as Handler), fresh);
  const result = { handlers: handlers.map(({ path }) => pathText(path)), differences: found, changed: false };
  if (isDry || found.length === 0) return result;
  const change = changeOf(config, handlers, fresh);
  const answer = await admin.patch(pathText(change.path), change.value, etag);
  if (answer.status === 412) {
    throw failed('the configuration changed meanwhile; nothing was applied', 'config_changed', messageOf(answer));
  }
  if (answer.status !== 200) {
    throw failed('Caddy refused the policy and keeps the old one', 'policy_refused', messageOf(answer));
  }
  const current = await admin.get('/config/');
  if (!(await isLive(admin, current, handlers, fresh))) {
    throw failed('the new policy is not live', 'not_live', await restore(admin, config, change, current));
  }
  return { ...result, changed: true };
}
