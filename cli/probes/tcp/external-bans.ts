/** Probes of bans by trap ports, gateway events and decisions. */
import { setTimeout as pause } from 'node:timers/promises';
import { eventExamples } from '../../../contract/events/examples.ts';
import type { RequestEvent } from '../../../contract/events/members.ts';
import { isListed } from '../../../contract/values/address.ts';
import { refusalProblem, relayProblem } from './greet.ts';
import { type Lab, type Problem, probe, type TcpProbe, Unsuitable } from './probe.ts';
import type { PublishedDaemon, PublishedIntake, PublishedTrap } from './published.ts';

interface Listed {
  readonly ip: string;
  readonly origin: string;
}

const pollMs = 50; // the API limits the request rate

async function pollBans(
  { api, patienceMs }: Lab,
  query: string,
  fits: (bans: readonly Listed[]) => boolean,
): Promise<Listed[]> {
  for (const end = Date.now() + patienceMs; ; await pause(pollMs)) {
    const { body } = await api.send({ path: `/banlist?${query}` });
    const { bans } = JSON.parse(body) as { bans: Listed[] };
    if (fits(bans) || Date.now() > end) return bans;
  }
}

/** Greatest threshold that a probe reaches. Larger ones take too long. */
const mostThreshold = 100;

/** Trap ports must ban scanners. They accept no PROXY header, so they see the address of this machine. */
async function portScanProblem(lab: Lab, { hostPort }: PublishedTrap): Promise<Problem> {
  const { daemon, peer = '', dial, api } = lab;
  const { threshold } = daemon.port_scan;
  if (threshold > mostThreshold) throw new Unsuitable('the threshold is too high for a probe');
  if (isListed(daemon.global.never_ban, peer)) throw new Unsuitable(`never_ban has ${peer}, the address of the probe`);
  for (let connection = 1; connection <= threshold; connection += 1) {
    const client = dial(hostPort);
    if (!(await client.ends())) return `connection ${connection} stays open`;
    if (client.received().length > 0) return `connection ${connection} received bytes`;
  }
  const isScan = ({ origin }: Listed): boolean => origin === 'port_scan';
  const bans = await pollBans(lab, 'limit=1000', (all) => all.some(isScan));
  const ban = bans.find(isScan);
  if (!ban) return `there is no ban after ${threshold} connections`;
  const { status, body } = await api.post('/unban', { ip: ban.ip });
  return status === 200 ? undefined : `POST /unban returned ${status}: ${body}`;
}

const eventLine = (example: RequestEvent, client_ip: string): string =>
  `${JSON.stringify({ ...example, timestamp: new Date().toISOString(), client_ip })}\n`;

/** Gateway events must ban only the client with blocked requests. The daemon must ignore malformed lines. */
async function intakeBanProblem(lab: Lab, { source, hostPort }: PublishedIntake): Promise<Problem> {
  const { plain, nextAllowedAddress, connect, dial, api } = lab;
  const { after } = source;
  if (after > mostThreshold) throw new Unsuitable('the threshold is too high for a probe');
  const [blocked, detected] = [nextAllowedAddress(plain), nextAllowedAddress(plain)];
  const noise = `no event\n{"type":"guard_block"\n${eventLine(eventExamples.detected, detected).repeat(after)}`;
  const lines = [
    noise + eventLine(eventExamples.blocked, blocked).repeat(after - 1),
    eventLine(eventExamples.blocked, blocked),
  ];
  for (const text of lines) {
    const problem = await relayProblem(connect(plain, blocked), plain);
    if (problem !== undefined) return `before the last event: ${problem}`;
    const file = dial(hostPort, text);
    file.finish();
    await file.ends();
  }
  const bans = await pollBans(lab, `ip=${blocked}`, (all) => all.length > 0);
  if (bans[0]?.origin !== 'intake') return `after ${after} events the bans are ${JSON.stringify(bans)}`;
  const refused = await refusalProblem(connect(plain, blocked), plain);
  if (refused !== undefined) return `banned: ${refused}`;
  const other = await relayProblem(connect(plain, detected), plain);
  if (other !== undefined) return `a client that was only detected: ${other}`;
  const { status, body } = await api.post('/unban', { ip: blocked });
  return status === 200 ? undefined : `POST /unban returned ${status}: ${body}`;
}

type Action = Lab['daemon']['threatfeed']['fallback_action'];

const throttleProblem = async ({ connect, plain, daemon }: Lab, ip: string): Promise<Problem> => {
  const { connections_per_minute: rate } = daemon.threatfeed.throttle;
  if (rate > mostThreshold) throw new Unsuitable('the rate is too high for a probe');
  const first = await relayProblem(connect(plain, ip), plain);
  if (first !== undefined) return `the first connection: ${first}`;
  for (let count = 0; count <= rate; count += 1) {
    if ((await relayProblem(connect(plain, ip), plain)) !== undefined) return undefined;
  }
  return `${rate + 2} connections passed`;
};

const checksByAction: Readonly<Record<Action, (lab: Lab, ip: string) => Promise<Problem>>> = {
  ban: ({ connect, plain }, ip) => refusalProblem(connect(plain, ip), plain),
  throttle: throttleProblem,
  bypass: ({ connect, plain }, ip) => relayProblem(connect(plain, ip), plain),
};

async function decisionProblem(lab: Lab, port: number): Promise<Problem> {
  const { plain, nextAllowedAddress, connect, daemon } = lab;
  const ip = nextAllowedAddress(plain);
  const service = `http://127.0.0.1:${port}/v1`;
  const decision = { origin: 'cscli', type: 'ban', scope: 'Ip', value: ip, duration: '1h', scenario: 'a probe' };
  const { status } = await fetch(`${service}/alerts`, {
    method: 'POST',
    body: JSON.stringify([{ decisions: [decision] }]),
  });
  if (status !== 201) return `the decision service returned ${status}`;
  const query = `origin=crowdsec&ip=${ip}`;
  if ((await pollBans(lab, query, (all) => all.length > 0)).length === 0) return 'the decision did not arrive';
  const problem = await checksByAction[daemon.threatfeed.fallback_action](lab, ip);
  if (problem !== undefined) return problem;
  await fetch(`${service}/decisions?value=${encodeURIComponent(ip)}`, { method: 'DELETE' });
  if ((await pollBans(lab, query, (all) => all.length === 0)).length > 0)
    return 'the end of the decision did not arrive';
  const after = await relayProblem(connect(plain, ip), plain);
  return after === undefined ? undefined : `after its end: ${after}`;
}

type ExternalBanSources = Pick<PublishedDaemon, 'traps' | 'intakes' | 'decisions'>;

export const externalBanProbes = ({ traps, intakes, decisions }: ExternalBanSources): TcpProbe[] => [
  ...traps.map((trap) =>
    probe(
      `ban:port-scan:${trap.listen}`,
      `a client that connects to port_scan ${trap.listen}`,
      'no byte, and a ban after the last connection',
      (lab) => portScanProblem(lab, trap),
    ),
  ),
  ...intakes.map((intake) =>
    probe(
      `ban:intake:${intake.source.file}`,
      `a client that ${intake.source.file} reports`,
      'a ban of this client only',
      (lab) => intakeBanProblem(lab, intake),
    ),
  ),
  ...(decisions === undefined ? [] : [decisions]).map((port) =>
    probe(
      'ban:decision',
      'a client with a decision of the threat feed',
      'the fallback_action, until the decision ends',
      (lab) => decisionProblem(lab, port),
    ),
  ),
];
