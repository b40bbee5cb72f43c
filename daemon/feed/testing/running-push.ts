/** For tests: generated bans, and a push that sends them to a fake LAPI. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import type { Ban, BanChange, Bans, StoreState } from '../../bans/ban.ts';
import { Backlog } from '../backlog.ts';
import { Holdings } from '../holdings.ts';
import { type Push, startPush } from '../push.ts';
import { type FakeLapi, fakeLapi, jsonReply, type Reply } from './fake-lapi.ts';
import { defaults } from './running-feed.ts';

const loginReply: Reply = jsonReply({ code: 200, token: 'first' });

/** Handles logins. Passes all other requests to `reply`. */
export const behindLogin =
  (reply: Reply): Reply =>
  (request, response, body) =>
    (request.url === '/v1/watchers/login' ? loginReply : reply)(request, response, body);

export const createdReply = behindLogin(jsonReply(['1'], 201));

export interface Running {
  readonly lapi: FakeLapi;
  readonly push: Push;
  readonly said: string[];
  readonly dataDir: string;
  readonly notify: (change: BanChange) => void;
}

interface Earlier {
  readonly dataDir?: string;
  /** Bans that exist when the push starts. */
  readonly held?: readonly Ban[];
  readonly store?: StoreState;
}

/** A network that contains exempt addresses. */
export const sparedNetwork = '203.0.113.0/24';

export async function run(t: TestContext, first: Reply, earlier: Earlier = {}): Promise<Running> {
  const { dataDir = scratchFolder('guard-push-'), held = [], store = 'ok' } = earlier;
  const lapi = await fakeLapi(t, first);
  const said: string[] = [];
  let notify: Running['notify'] = () => assert.fail('no listener is subscribed');
  const threatfeed = { ...defaults.threatfeed, push: true, lapi_url: `${lapi.url}/`, machine_id: 'm', password: 'p' };
  const log = (message: string) => void said.push(message);
  const earlierBans: Pick<Bans, 'list' | 'store'> = {
    store: () => store,
    list: ({ ip }) => ({ bans: held.filter((ban) => ban.ip === ip), cursor: undefined }),
  };
  const push = startPush({
    config: { ...defaults, threatfeed },
    backlog: new Backlog({ dataDir, bans: earlierBans, log }),
    bans: {
      spares: (ip) => ip === sparedNetwork,
      watch: (listener) => {
        notify = listener;
        return () => undefined;
      },
    },
    decisions: new Holdings(Date.now),
    now: Date.now,
    log,
  });
  t.after(() => push.close());
  return { lapi, push, said, dataDir, notify: (change) => notify(change) };
}

export const ban = (ip: string, more: Partial<Ban> = {}): Ban => ({
  ip,
  reason: 'ssh: 5 failed logins in 60s',
  service: 'ssh',
  origin: 'local',
  bannedAt: Date.now(),
  expiresAt: Date.now() + 600_000,
  ...more,
});

export const bannedChange = (ip: string, more: Partial<Ban> = {}): BanChange => ({
  kind: 'banned',
  ban: ban(ip, more),
});
export const liftedChange = (ip: string): BanChange => ({ kind: 'unbanned', ban: ban(ip), why: 'lifted' });

export type Alert = {
  source: unknown;
  scenario: string;
  decisions: { scope: string; duration: string; origin: string }[];
};
export const alerts = ({ bodies }: FakeLapi) => bodies.filter((body): body is Alert[] => Array.isArray(body)).flat();

/** The addresses whose decisions were deleted. They are sorted, because a failed change is sent after the others. */
export const deletedAddresses = ({ requests }: FakeLapi) =>
  requests.flatMap((one) => /^DELETE .*[?&]value=([^&]+)/.exec(one)?.[1] ?? []).sort();

/** The addresses of the alerts, sorted. */
export const alertedAddresses = (lapi: FakeLapi) =>
  alerts(lapi)
    .map(({ source }) => (source as { value: string }).value)
    .sort();
