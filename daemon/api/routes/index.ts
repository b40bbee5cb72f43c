import type * as z from 'zod/mini';
import { durationMs } from '../../../contract/api/fields.ts';
import { openApi } from '../../../contract/api/openapi.ts';
import type { OperationName } from '../../../contract/api/operations.ts';
import type { Flushed } from '../../../contract/api/records.ts';
import type { Stats } from '../../../contract/api/state.ts';
import type { Problem } from '../../../contract/load/problem.ts';
import { quoted } from '../../../contract/load/quote.ts';
import { contains, formatAddress, parseAddress, parseNetwork } from '../../../contract/values/address.ts';
import { readPrefix } from '../../address/prefix.ts';
import { mostCoveringPrefixes } from '../../address/prefix-map.ts';
import type { BanRefusal } from '../../bans/ban.ts';
import { type Answer, jsonAnswer, textAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { ApiFailure, notStoredFailure } from '../failure.ts';
import { toBanRecord, toListRecord, uptimeSeconds } from '../records.ts';
import { allow, disallow } from './allow.ts';
import { banlist } from './banlist.ts';
import { health } from './health.ts';
import { metrics } from './metrics.ts';
import { why } from './why.ts';

type Routes = { readonly [Name in OperationName]: Route<Name> };

/** Caches the documents with and without a token, because building one takes milliseconds. */
const documents = new Map<boolean, Answer>();

const openapi: Route<'openapi'> = ({ control, needsToken }) => {
  const key = needsToken();
  const answer = documents.get(key) ?? jsonAnswer(openApi(control.version, key));
  documents.set(key, answer);
  return answer;
};

const stats: Route<'stats'> = async ({ control, now }) => {
  await control.refreshCounts();
  const { leftOut, dropped, ...kernel } = control.kernelBans();
  return jsonAnswer({
    services: control.stats(),
    tables: control.tables(),
    data_plane: control.dataPlane(),
    kernel_bans: { ...kernel, left_out: leftOut, dropped_packets: dropped },
    intake: [...control.intake()],
    uptime_seconds: uptimeSeconds(control, now()),
  } satisfies z.output<typeof Stats>);
};

const refusals = {
  bad_address: 'bad_address',
  never_ban: 'never_ban',
  edge: 'edge_network',
  too_many: 'too_many_bans',
} as const satisfies Record<BanRefusal, string>;

/** @throws ApiFailure when the ban would lock out a client of the SSH server, who may be the operator */
function refuseSshClient(control: DaemonControl, ip: string): void {
  const network = parseNetwork(ip);
  const client = control.sshClients().find((one) => {
    const address = parseAddress(one);
    return network && address && contains(network, address);
  });
  if (client !== undefined)
    throw new ApiFailure(
      'ssh_client',
      `${client} is connected to the SSH server of this host: set force if it is not you`,
    );
}

const ban: Route<'ban'> = async ({ control, now }, { body: { ip, duration, reason, replace, force } }) => {
  if (!force) refuseSshClient(control, ip);
  const outcome = await control.bans.add({
    ip,
    reason: reason ?? 'banned through the API',
    origin: 'api',
    replace,
    force,
    ...(duration !== undefined && { durationMs: durationMs(duration) }),
  });
  if (!outcome.ok) throw new ApiFailure(refusals[outcome.refusal]);
  if (!outcome.isDurable) throw notStoredFailure(control.bans.store());
  return jsonAnswer(toBanRecord(outcome.ban, now()), 201);
};

/** Names the wider ban or decision that still covers the address. */
function coverText({ bans, feed }: DaemonControl, ip: string): string {
  const ban = bans.list({ limit: mostCoveringPrefixes, ip }).bans.find(({ isDetected }) => !isDetected);
  if (ban) return ` itself: the ban of ${ban.ip} covers it`;
  const prefix = readPrefix(ip);
  const [decision] = (prefix && feed?.coveringAll(prefix)) ?? [];
  return decision ? ` itself: a decision of the threat feed on ${decision.ip} covers it` : '';
}

const unban: Route<'unban'> = async ({ control, now }, { body: { ip } }) => {
  const lifted = await control.bans.remove(ip);
  if (!lifted) throw new ApiFailure('not_banned', `${ip} is not banned${coverText(control, ip)}`);
  if (!lifted.isDurable) throw notStoredFailure(control.bans.store());
  return jsonAnswer(toBanRecord(lifted.ban, now()));
};

const report: Route<'report'> = ({ control }, { body: { ip: text, service, reason } }) => {
  const address = parseAddress(text);
  if (!address) throw new ApiFailure('bad_address');
  if (service !== undefined && !control.services().some(({ name }) => name === service))
    throw new ApiFailure('no_service', `there is no service ${quoted(service)}`);
  const ip = formatAddress(address);
  const banned = control.failures.fail({
    ip,
    trigger: reason,
    origin: 'api',
    ...(service !== undefined && { service }),
  });
  return jsonAnswer({ ip, banned });
};

function shownProblem({ path, line, column, message, hint }: Problem) {
  return { path, line, column, message, ...(hint !== undefined && { hint }) };
}

const flush: Route<'flush'> = async ({ control }) => {
  const { count, isDurable } = await control.bans.clear();
  if (!isDurable) throw notStoredFailure(control.bans.store());
  return jsonAnswer({ lifted: count } satisfies z.output<typeof Flushed>);
};

const reload: Route<'reload'> = async ({ control }, { caller }) => {
  const outcome = await control.reload(`POST /reload from ${caller}`);
  if (outcome.ok) {
    const { changed, restart, problems } = outcome;
    return jsonAnswer({ changed, restart, problems });
  }
  const { length } = outcome.problems;
  const message = `${length} ${length === 1 ? 'problem' : 'problems'}; the previous configuration stays in force`;
  throw new ApiFailure('invalid_configuration', message, { problems: outcome.problems.map(shownProblem) });
};

const events: Route<'events'> = ({ hub }, { query: { service, action }, lastEventId, isHead }) => {
  if (!isHead && !hub.makeRoom())
    throw new ApiFailure('too_many_readers', undefined, { headers: { 'Retry-After': '10' } });
  return { stream: (response) => hub.follow(response, { service, action, lastEventId, isHead }) };
};

export const routes: Routes = {
  health,
  ping: () => textAnswer('pong\n'),
  stats,
  services: ({ control }) => jsonAnswer(control.services()),
  banlist,
  ban,
  unban,
  flush,
  why,
  lists: ({ control }) => jsonAnswer(control.lists().map(toListRecord)),
  allow,
  disallow,
  events,
  report,
  reload,
  metrics,
  openapi,
};
