/**
 * Benchmarks the intake: how long a client is still answered after the line that bans it, and the memory of the daemon while
 * it follows a log.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { cpuSeconds, megabytes, residentBytes } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import { linkClient, run } from './firewall.ts';

const rounds = 20;
const host = '198.51.100.1';
const port = 8080;
const budgetMs = 1000;
/** A client without an answer for this time is banned. */
const silenceMs = 3000;
const [linesPerSecond, seconds, mostGrowth] = [20_000, 20, 30 * 1024 * 1024];

/** Prints the time of each answer of the echo server to a client with its own address. */
const client = `
const s = require('node:net').connect({ host: '${host}', port: ${port}, localAddress: process.argv[1] });
s.on('connect', () => setInterval(() => s.write('x'), 2)).on('data', () => process.stdout.write(Date.now() + '\\n')).on('error', () => {});`;
const server = `require('node:net').createServer((s) => s.on('error', () => {}).pipe(s)).listen(${port}, '${host}')`;

interface Guard {
  readonly child: ChildProcess;
  readonly log: string;
}

/** Starts the packed daemon with the flags of packaging/systemd/host.conf, and a source with a line that is read. */
async function startGuard(source: string, bans: string): Promise<Guard> {
  const folder = scratchFolder('guard-intake-');
  const [file, log, socket] = ['tcp-guard.yaml', 'source.log', 'api.sock'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(log, '');
  writeFileSync(join(folder, 'guard.json'), '{"checkQuery": true, "exploits": "paths"}');
  const paths = `data_dir: ${folder}/data, log_file: ${folder}/audit.jsonl`;
  writeFileSync(
    file,
    `version: 1\nglobal: {log_level: error, ${paths}}\napi: {listen: "", socket: ${socket}}\nbans: ${bans}\nintake: [{file: ${log}, ${source.replace('POLICY', join(folder, 'guard.json'))}}]\n`,
  );
  const args = ['--max-semi-space-size=4', join(packageRoot, 'dist/bin/tcp-guard.js'), '-c', file];
  const env = { ...process.env, MALLOC_ARENA_MAX: '1' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (piece: Buffer) => {
    said += piece;
  });
  const stats = ['--silent', '--unix-socket', socket, 'http://guard/stats'];
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`tcp-guard ended: ${said}`);
    const text = spawnSync('curl', stats, { encoding: 'utf8' }).stdout;
    return text.includes(bans.includes('host') ? '"mechanism":"nftables"' : '"intake"');
  });
  return { child, log };
}

/** Milliseconds between the line that bans a client and the last answer to it. */
async function answeredAfter(enter: string, log: string, address: string): Promise<number> {
  const [program = '', ...inside] = enter.split(' ');
  const child = spawn(program, [...inside, process.execPath, '-e', client, address], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let last = 0;
  child.stdout.on('data', (piece: Buffer) => {
    last = Math.max(last, ...`${piece}`.trim().split('\n').map(Number));
  });
  await until(() => last > 0);
  for (const user of ['a', 'b', 'c', 'd', 'e'])
    appendFileSync(log, `Failed password for invalid user ${user} from ${address} port 4711 ssh2\n`);
  const start = Date.now();
  await until(() => Date.now() - Math.max(last, start) > silenceMs);
  child.kill('SIGKILL');
  return last - start;
}

async function delayRow(): Promise<Row> {
  const addresses = Array.from({ length: rounds }, (_, index) => `198.51.100.${100 + index}`);
  const { enter, holder } = await linkClient();
  for (const address of addresses) run(`${enter} ip addr add ${address}/24 dev uplink`);
  const echo = spawn(process.execPath, ['-e', server], { stdio: 'ignore' });
  const guard = await startGuard('format: sshd', '{scope: host}');
  try {
    const delays: number[] = [];
    for (const address of addresses) delays.push(await answeredAfter(enter, guard.log, address));
    const [most, sorted] = [Math.max(...delays), delays.toSorted((one, other) => one - other)];
    const name = `intake, last answer after the line that bans, ${rounds} clients`;
    const measured = `at most ${most} ms, median ${sorted[rounds / 2]} ms`;
    return { name, measured, budget: `<= ${budgetMs} ms`, holds: most <= budgetMs };
  } finally {
    for (const child of [guard.child, echo, holder]) child.kill('SIGKILL');
    run('nft flush ruleset');
  }
}

/** A line with another target each time, which the policy evaluates. */
const requestLine = (index: number): string =>
  `198.51.${(index >> 8) & 255}.${index & 255} - - [30/Nov/2026:09:00:00 +0000] "GET /assets/${(index * 7919) % 30_011}/page.html?x=${index} HTTP/1.1" 200 ${index % 9999} "https://site.example/${index % 97}" "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"\n`;

async function memoryRow(): Promise<Row> {
  const { child, log } = await startGuard('format: access, policy: POLICY', '{kernel: off}');
  const pid = child.pid as number;
  try {
    await sleep(3000); // the heap after the start
    const [idle, cpu, start] = [residentBytes(pid), cpuSeconds(pid), Date.now()];
    let [index, peak] = [0, 0];
    while (Date.now() - start < seconds * 1000) {
      const due = ((Date.now() - start) / 1000) * linesPerSecond;
      let text = '';
      for (; index < due; index += 1) text += requestLine(index);
      appendFileSync(log, text);
      await sleep(20);
      peak = Math.max(peak, residentBytes(pid));
    }
    const used = (cpuSeconds(pid) - cpu) / seconds;
    const measured = `${megabytes(peak - idle)} above ${megabytes(idle)}, ${used.toFixed(2)} of a core`;
    const name = `intake, memory while ${linesPerSecond} lines a second are followed`;
    return { name, measured, budget: `<= ${megabytes(mostGrowth)}`, holds: peak - idle <= mostGrowth };
  } finally {
    child.kill('SIGKILL');
  }
}

export const benchIntake = (parts: readonly string[]): Rows =>
  rowsOfParts(parts, [
    ['delay', async () => [await delayRow()]],
    ['memory', async () => [await memoryRow()]],
  ]);
