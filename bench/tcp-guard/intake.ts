/**
 * Benchmarks the intake: how long a client is still answered after the line that bans it, the guesses of hydra, the memory
 * of the daemon while it follows a log, what it uses while nothing happens, and the time of a replay.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../platform/assets.ts';
import { until } from '../../platform/testing/until.ts';
import { cpuSeconds, endedSeconds, megabytes, residentBytes, wallMs } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import { host, linkClient, run } from './firewall.ts';
import { intakeFolder, startGuard } from './intake/guard.ts';
import { guessRows } from './intake/guesses.ts';

const rounds = 20;
const port = 8080;
const budgetMs = 1000;
/** A client without an answer for this time is banned. */
const silenceMs = 3000;
const [linesPerSecond, seconds, mostGrowth] = [20_000, 20, 30 * 1024 * 1024];
const [idleSeconds, mostIdle] = [60, 0.001];
const [replayedLines, mostReplayMs] = [1_000_000, 12_000];

/** Prints the time of each answer of the echo server to a client with its own address. */
const client = `
const s = require('node:net').connect({ host: '${host}', port: ${port}, localAddress: process.argv[1] });
s.on('connect', () => setInterval(() => s.write('x'), 2)).on('data', () => process.stdout.write(Date.now() + '\\n')).on('error', () => {});`;
const server = `require('node:net').createServer((s) => s.on('error', () => {}).pipe(s)).listen(${port}, '${host}')`;

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
  const { enter, unlink } = await linkClient();
  for (const address of addresses) run(`${enter} ip addr add ${address}/24 dev uplink`);
  const echo = spawn(process.execPath, ['-e', server], { stdio: 'ignore' });
  const { folder, path } = intakeFolder();
  const log = path('source.log');
  const guard = await startGuard(folder, { bans: { scope: 'host' }, intake: [{ file: log, format: 'sshd' }] });
  try {
    const delays: number[] = [];
    for (const address of addresses) delays.push(await answeredAfter(enter, log, address));
    const [most, sorted] = [Math.max(...delays), delays.toSorted((one, other) => one - other)];
    const name = `intake, last answer after the line that bans, ${rounds} clients`;
    const measured = `at most ${most} ms, median ${sorted[rounds / 2]} ms`;
    return { name, measured, budget: `<= ${budgetMs} ms`, holds: most <= budgetMs };
  } finally {
    for (const child of [guard, echo]) child.kill('SIGKILL');
    unlink();
    run('nft flush ruleset');
  }
}

/** A line with another target each time, which the policy evaluates. */
const requestLine = (index: number): string =>
  `198.51.${(index >> 8) & 255}.${index & 255} - - [30/Nov/2026:09:00:00 +0000] "GET /assets/${(index * 7919) % 30_011}/page.html?x=${index} HTTP/1.1" 200 ${index % 9999} "https://site.example/${index % 97}" "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"\n`;

async function memoryRow(): Promise<Row> {
  const { folder, path } = intakeFolder();
  const log = path('source.log');
  const source = { file: log, format: 'access', policy: path('guard.json') };
  const child = await startGuard(folder, { bans: { kernel: 'off' }, intake: [source] });
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

/** Processor time of the daemon, and of the runs of nft that it starts, with five sources in which nothing happens. */
async function idleRow(): Promise<Row> {
  const { folder, path } = intakeFolder();
  const sources = ['sshd', 'dovecot', 'postfix', 'vsftpd'].map((format) => ({ file: path(`${format}.log`), format }));
  for (const { file } of sources) writeFileSync(file, '');
  const access = { file: path('source.log'), format: 'access', policy: path('guard.json') };
  const child = await startGuard(folder, { bans: { scope: 'host' }, intake: [...sources, access] });
  const pid = child.pid as number;
  try {
    await sleep(5000); // what the start leaves behind
    const [ownBefore, nftBefore] = [cpuSeconds(pid), endedSeconds(pid)];
    await sleep(idleSeconds * 1000);
    const own = (cpuSeconds(pid) - ownBefore) / idleSeconds;
    const nft = (endedSeconds(pid) - nftBefore) / idleSeconds;
    const percent = (share: number): string => `${(share * 100).toFixed(3)} %`;
    return {
      name: 'intake, of a core while nothing happens in five sources',
      measured: `${percent(own)}, and ${percent(nft)} for nft`,
      budget: `<= ${percent(mostIdle)} together`,
      holds: own + nft <= mostIdle,
    };
  } finally {
    child.kill('SIGKILL');
    run('nft flush ruleset');
  }
}

function replayRow(): Row {
  const { path } = intakeFolder();
  const log = path('access.log');
  for (let start = 0; start < replayedLines; start += linesPerSecond)
    appendFileSync(log, Array.from({ length: linesPerSecond }, (_, index) => requestLine(start + index)).join(''));
  const intake = [{ file: log, format: 'access', policy: path('guard.json') }];
  writeFileSync(path('replay.yaml'), JSON.stringify({ version: 1, bans: { scope: 'host' }, intake }));
  const program = join(packageRoot, 'dist/bin/guardcli.js');
  const milliseconds = wallMs(process.execPath, [program, 'replay', '--bans', '-c', path('replay.yaml')]);
  const name = `intake, replay --bans of ${replayedLines} combined lines`;
  return {
    name,
    measured: `${milliseconds.toFixed(0)} ms`,
    budget: `<= ${mostReplayMs} ms`,
    holds: milliseconds <= mostReplayMs,
  };
}

export const benchIntake = (parts: readonly string[]): Rows =>
  rowsOfParts(parts, [
    ['delay', async () => [await delayRow()]],
    ['guesses', guessRows],
    ['memory', async () => [await memoryRow()]],
    ['idle', async () => [await idleRow()]],
    ['replay', async () => [replayRow()]],
  ]);
