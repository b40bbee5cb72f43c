/**
 * Measures how many passwords hydra tries at sshd, Dovecot and vsftpd before the firewall of the host refuses it. Only an
 * idle machine answers as few as the budget: on a busy one the daemon reads the line that bans later.
 */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GuardedServer, guessesOf, makeAccount, startServers } from '../../../conformance/servers/guarded.ts';
import { until } from '../../../platform/testing/until.ts';
import type { Row } from '../../measure/row.ts';
import { client, host, linkClient, run } from '../firewall.ts';
import { intakeFolder, startGuard } from './guard.ts';

/** The most guesses, by the number of parallel connections. */
const budgets = { 1: 7, 4: 15 } as const;
/** After the ban, lines of guesses that the server had answered before are still written. */
const settlingMs = 3000;
const words = Array.from({ length: 60 }, (_, index) => `guess${index}\n`).join('');

const isBanned = (address: string): boolean =>
  spawnSync('nft', ['get', 'element', 'inet', 'request_guard', 'ban_v4_32', `{ ${address} }`]).status === 0;

interface Guesser {
  /** The command that runs a program in the namespace of the client. */
  readonly enter: string;
  readonly address: string;
  readonly args: readonly string[];
}

async function guess(server: GuardedServer, { enter, address, args }: Guesser): Promise<number> {
  run(`${enter} ip addr add ${address}/24 dev uplink`);
  run(`${enter} ip route replace ${host}/32 dev uplink src ${address}`);
  const [program = '', ...inside] = enter.split(' ');
  const all = [...inside, 'hydra', '-I', ...args, '-s', `${server.port}`, host, server.protocol];
  const hydra = spawn(program, all, { stdio: 'ignore', cwd: '/tmp' });
  try {
    await until(() => isBanned(address), `a ban of ${address} at ${server.protocol}`);
    await sleep(settlingMs);
    return guessesOf(server, address);
  } finally {
    hydra.kill('SIGKILL');
  }
}

export async function* guessRows(): AsyncGenerator<Row> {
  const ends: (() => Promise<void>)[] = [];
  const { enter, unlink } = await linkClient();
  const { folder, path } = intakeFolder();
  makeAccount();
  const servers = await startServers({ after: (end) => ends.push(end) });
  const intake = servers.map(({ log: file, format }) => ({ file, format }));
  const guard = await startGuard(folder, { bans: { scope: 'host' }, intake });
  writeFileSync(path('words'), words);
  const kinds = [
    ['-l', 'root', '-P', path('words')], // one user
    ['-L', path('words'), '-p', 'guess'], // one password
  ];
  let last = Number(client.split('.').at(-1));
  try {
    for (const [tasks, budget] of Object.entries(budgets)) {
      const counts: [string, number][] = [];
      for (const server of servers)
        for (const kind of kinds) {
          const address = client.replace(/\d+$/, `${++last}`);
          counts.push([server.protocol, await guess(server, { enter, address, args: ['-t', tasks, ...kind] })]);
        }
      yield {
        name: `intake, guesses of hydra -t ${tasks} for one user, and with one password`,
        measured: counts.map(([protocol, count]) => `${protocol} ${count}`).join(', '),
        budget: `<= ${budget}`,
        holds: counts.every(([, count]) => count > 0 && count <= budget),
      };
    }
  } finally {
    guard.kill('SIGKILL');
    unlink();
    await Promise.all(ends.map((end) => end()));
    run('nft flush ruleset');
  }
}
