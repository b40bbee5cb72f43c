/** Probes of bans that an operator sets and lifts. */
import { refusalProblem, relayProblem } from './greet.ts';
import { type Lab, type Problem, probe, type TcpProbe } from './probe.ts';

interface Listed {
  readonly bans: readonly { readonly ip: string; readonly reason: string; readonly expires_at: string | null }[];
}

async function banProblem({ connect, plain, api, nextAllowedAddress }: Lab): Promise<Problem> {
  const ip = nextAllowedAddress(plain);
  const before = connect(plain, ip);
  const problem = await relayProblem(before, plain);
  if (problem !== undefined) return `before: ${problem}`;
  const banned = await api.post('/ban', { ip, duration: '1h', reason: 'a probe' });
  if (banned.status !== 201) return `POST /ban returned ${banned.status}: ${banned.body}`;
  if (!(await before.ends())) return 'its open connection stays open';
  const refused = await refusalProblem(connect(plain, ip), plain);
  if (refused !== undefined) return `banned: ${refused}`;
  const { bans }: Listed = JSON.parse((await api.send({ path: `/banlist?ip=${ip}` })).body);
  if (bans[0]?.ip !== ip || bans[0].reason !== 'a probe') return `GET /banlist returned ${JSON.stringify(bans)}`;
  const lifted = await api.post('/unban', { ip });
  if (lifted.status !== 200) return `POST /unban returned ${lifted.status}: ${lifted.body}`;
  const after = await relayProblem(connect(plain, ip), plain);
  return after === undefined ? undefined : `after: ${after}`;
}

async function networkBanProblem({ connect, plain, api, nextAllowedAddress }: Lab): Promise<Problem> {
  const ip = nextAllowedAddress(plain);
  const network = ip.includes(':') ? `${ip}/128` : `${ip}/32`;
  const wide = ip.includes(':') ? network : ip.replace(/\.\d+$/, '.0/24');
  const banned = await api.post('/ban', { ip: wide, duration: '1m', reason: 'a probe' });
  if (banned.status !== 201) return `POST /ban returned ${banned.status}: ${banned.body}`;
  const refused = await refusalProblem(connect(plain, ip), plain);
  const lifted = await api.post('/unban', { ip: wide });
  if (refused !== undefined) return `banned: ${refused}`;
  return lifted.status === 200 ? undefined : `POST /unban returned ${lifted.status}: ${lifted.body}`;
}

async function longerBanProblem({ api, plain, nextAllowedAddress }: Lab): Promise<Problem> {
  const ip = nextAllowedAddress(plain);
  await api.post('/ban', { ip, duration: '1h' });
  await api.post('/ban', { ip, duration: '1s' });
  const { bans }: Listed = JSON.parse((await api.send({ path: `/banlist?ip=${ip}` })).body);
  await api.post('/unban', { ip });
  const left = Date.parse(bans[0]?.expires_at ?? '') - Date.now();
  return left > 60_000 ? undefined : `${JSON.stringify(bans)} is the remaining ban`;
}

/**
 * Durations of a ban, in the order of attempts. A ban of one second can expire before the daemon reports that it is on
 * disk.
 */
const shortSeconds = [1, 8];

async function shortRefusalProblem({ connect, plain, api }: Lab, ip: string): Promise<Problem> {
  let problem: Problem;
  for (const seconds of shortSeconds) {
    const started = Date.now();
    await api.post('/ban', { ip, duration: `${seconds}s` });
    problem = await refusalProblem(connect(plain, ip), plain);
    if (problem === undefined || Date.now() - started < seconds * 1000) break;
  }
  return problem;
}

async function banExpiryProblem(lab: Lab): Promise<Problem> {
  const { connect, plain, nextAllowedAddress, patienceMs } = lab;
  const ip = nextAllowedAddress(plain);
  const refused = await shortRefusalProblem(lab, ip);
  if (refused !== undefined) return refused;
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const client = connect(plain, ip);
    if ((await relayProblem(client, plain)) === undefined) return undefined;
    client.close();
  }
  return 'the ban did not expire';
}

export const banProbes: readonly TcpProbe[] = [
  probe(
    'ban:api',
    'an address that is banned and then unbanned',
    'its connections are closed and refused until the ban is lifted',
    banProblem,
  ),
  probe('ban:network', 'a network that is banned', 'an address in it is refused', networkBanProblem),
  probe('ban:longest', 'an address that is banned again for a shorter time', 'the longer ban stays', longerBanProblem),
  probe('ban:expiry', 'a ban of one second', 'it expires', banExpiryProblem),
];
