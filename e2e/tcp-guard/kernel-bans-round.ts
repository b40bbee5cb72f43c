/**
 * Bans in the kernel, in a network namespace with only a loopback. Sends forged SYN packets of banned and of denied
 * addresses, and connections that tcp-guard refuses itself. Prints the results as JSON.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { AuditEvent } from '../../daemon/audit/event.ts';
import { until } from '../../platform/testing/until.ts';
import { address, connectNamespace, disconnectNamespace, flood, ip } from './forged.ts';
import { type RunningGuard, startGuard } from './process.ts';

type Counts = Record<string, number>;

export interface KernelBansRound {
  readonly mechanism: string;
  /** Number of sent packets by forged address. */
  readonly sent: Counts;
  /** Number of refusals by address: in the audit file, and in the event stream. */
  readonly audit: Counts;
  readonly events: Counts;
  /** Blocked connections of the service in /stats. */
  readonly blocked: number;
  /** Addresses in /banlist. */
  readonly banned: readonly string[];
  /** Reasons in the audit file, by address. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Clock ticks of tcp-guard for each refused connection: when the kernel refuses it, and when tcp-guard itself does. */
  readonly ticks: { readonly kernel: number; readonly userSpace: number };
  /** Addresses served during a flood, and by another program on the port after SIGKILL. */
  readonly served: readonly string[];
  readonly servedAfterwards: readonly string[];
}

/** The first address, and the network of the next two, are banned. The last address is denied. */
const forgedPackets: Readonly<Counts> = {
  '198.51.100.7': 20_000,
  '203.0.113.1': 1000,
  '203.0.113.2': 500,
  '192.0.2.9': 500,
};
const bans = ['10.9.0.7', '198.51.100.7', '203.0.113.0/24', 'fd00:9::7'] as const;
/** Addresses of this host: one without a ban and two with a ban. */
const clients = ['10.9.0.8', bans[0], bans[3]] as const;
const [port, upstream] = [7000, 7001];
/** Number of connections that tcp-guard refuses itself. */
const refusals = 5000;

const greet = (socket: Socket): void => void socket.on('error', () => {}).end('served\n');

async function listen(server: Server, at: number, host?: string): Promise<Server> {
  await once(server.listen(at, host), 'listening');
  return server;
}

/** Returns the user and system time of a process in clock ticks (proc_pid_stat(5)). */
function ticksOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11);
  return Number(user) + Number(system);
}

/** How many milliseconds a client waits. The kernel drops packets without a reply. */
const patienceMs = { served: 60_000, refused: 2000 } as const;

const isServed = (localAddress: string, timeout: number): Promise<boolean> =>
  new Promise((resolve) => {
    const host = localAddress.includes(':') ? '::1' : address;
    const socket = connect({ host, port, localAddress, timeout });
    const settle = (outcome: boolean) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on('data', () => settle(true)).on('timeout', () => settle(false));
    socket.on('error', () => settle(false)).on('close', () => settle(false));
  });

async function servedOf(addresses: readonly string[], refused: readonly string[] = []): Promise<string[]> {
  const outcomes = await Promise.all(
    addresses.map((one) => isServed(one, patienceMs[refused.includes(one) ? 'refused' : 'served'])),
  );
  return addresses.filter((_, index) => outcomes[index]);
}

type Refusal = Pick<AuditEvent, 'action' | 'client_ip' | 'count'>;

function addRefusal(counts: Counts, { action, client_ip, count = 1 }: Refusal): Counts {
  if (action === 'blocked' && client_ip in forgedPackets) counts[client_ip] = (counts[client_ip] ?? 0) + count;
  return counts;
}

async function followRefusals({ socket: socketPath }: RunningGuard): Promise<Counts> {
  const counts: Counts = {};
  let text = '';
  const sent = request({ socketPath, path: '/events' }).on('error', () => {});
  const [response] = await once(sent.end(), 'response');
  response.on('error', () => {}).setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data: {')) addRefusal(counts, JSON.parse(line.slice('data: '.length)));
  });
  return counts;
}

const cleanups: (() => unknown)[] = [];
const owner = { after: (clean: unknown) => void cleanups.push(clean as () => unknown) };

/** Starts tcp-guard with bans, also of addresses that this host gets later. */
async function guardWith(kernel: string): Promise<RunningGuard> {
  connectNamespace();
  const greeter = {
    listen: `:${port}`,
    upstream: `127.0.0.1:${upstream}`,
    protocol: 'generic',
    ip_filter: { deny: ['192.0.2.0/24'] },
  };
  const guard = await startGuard(owner, { bans: { kernel }, services: { greeter } }, { never_ban: [] });
  for (const one of bans) await guard.ask('POST', '/ban', { ip: one });
  for (const one of clients) ip(`addr add ${one}/${one.includes(':') ? '128 nodad' : '24'} dev sink`);
  return guard;
}

async function kill(guard: RunningGuard): Promise<void> {
  guard.signal('SIGKILL');
  await guard.ended;
}

async function ticksInUserSpace(): Promise<number> {
  const guard = await guardWith('off');
  const before = ticksOf(guard.pid);
  for (let index = 0; index < refusals; index++) await isServed(bans[0], patienceMs.refused);
  const ticks = ticksOf(guard.pid) - before;
  await kill(guard);
  disconnectNamespace();
  return ticks / refusals;
}

/** Sends a flood from each forged address. Returns the ticks per packet of the first flood, the longest. */
async function floodFromAll(guard: RunningGuard): Promise<number> {
  const ticks: number[] = [];
  for (const [source, packets] of Object.entries(forgedPackets)) {
    const before = ticksOf(guard.pid);
    await flood(port, packets, ['-a', source]);
    ticks.push((ticksOf(guard.pid) - before) / packets);
  }
  return ticks[0] as number;
}

async function killDuringFlood(guard: RunningGuard): Promise<Pick<KernelBansRound, 'served' | 'servedAfterwards'>> {
  const over = flood(port, 20_000, ['-a', '198.51.100.7']);
  const served = await servedOf(clients, bans);
  await kill(guard);
  const next = await listen(createServer(greet), port);
  const servedAfterwards = await servedOf(clients);
  next.close();
  await over;
  return { served, servedAfterwards };
}

async function runRound(): Promise<KernelBansRound> {
  const userSpace = await ticksInUserSpace();
  const guard = await guardWith('bpf');
  const ask = async (path: string) => JSON.parse((await guard.ask('GET', path)).body);
  const streamCounts = await followRefusals(guard);
  const kernel = await floodFromAll(guard);
  const refused = () => guard.events().filter(({ action }) => action === 'blocked');
  const audit = () => refused().reduce(addRefusal, {});
  await until(
    () => isDeepStrictEqual([audit(), streamCounts], [forgedPackets, forgedPackets]),
    'the audit and the events have all packets',
  );
  const { services, kernel_bans } = await ask('/stats');
  const { bans: listed } = await ask('/banlist');
  return {
    mechanism: kernel_bans.mechanism,
    sent: forgedPackets,
    audit: audit(),
    events: { ...streamCounts },
    blocked: services.greeter.total_blocked,
    banned: listed.map(({ ip }: { ip: string }) => ip),
    reasons: Object.fromEntries(refused().map(({ client_ip, reason }) => [client_ip, reason])),
    ticks: { kernel, userSpace },
    ...(await killDuringFlood(guard)),
  };
}

const service = await listen(createServer(greet), upstream, '127.0.0.1');
const outcome = await runRound();
for (const clean of cleanups) await clean();
service.close();
disconnectNamespace();
process.stdout.write(`${JSON.stringify(outcome)}\n`);
