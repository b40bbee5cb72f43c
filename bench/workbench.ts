/** The workbench in a terminal: start, time from a key to its frame, idle CPU, and memory after an hour of events. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, median, residentBytes } from './measure.ts';
import type { Row } from './row.ts';
import { undisturbed } from './steal.ts';
import { serveEvents } from './workbench/events.ts';
import { openWorkbench, type Program } from './workbench/program.ts';

const size = 'cols 140 rows 40';
const starts = 7;
const keys = 400;
/** A quick typist. */
const pauseMs = 50;
const idleMs = 5000;
/** One hour at 200 a second, sent in a hundredth of the time. */
const eventsOfAnHour = 720_000;
const typed = '/static/..%252f.env?file=../../etc/passwd&x=<script>/wp-admin/setup.php';
const eraseLine = '\x15';
const [tryScreen, daemonScreen] = ['\x1b1', '\x1b4'];

const megabytes = ({ pid }: Program): number => residentBytes(pid) / 1024 / 1024;

const row = (name: string, value: number, unit: string, most: number): Row => ({
  ...{ name, measured: `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`, budget: `< ${most} ${unit}` },
  holds: value < most,
});

async function startTime(folder: string): Promise<number> {
  const program = await openWorkbench(folder, '', size);
  await program.end();
  return program.startMs;
}

async function medianStart(folder: string): Promise<number> {
  await startTime(folder); // fills the compile cache
  const times: number[] = [];
  while (times.length < starts) times.push(await undisturbed(() => startTime(folder)));
  return median(times);
}

async function keyTimes(program: Program): Promise<readonly number[]> {
  const times: number[] = [];
  await program.press(eraseLine);
  for (let index = 0; index < keys; index += 1) {
    const at = index % (typed.length + 1);
    times.push(await program.press(typed[at] ?? eraseLine));
    await sleep(pauseMs);
  }
  return times.sort((one, other) => one - other);
}

async function idlePercent({ pid }: Program): Promise<number> {
  const before = cpuSeconds(pid);
  await sleep(idleMs);
  return ((cpuSeconds(pid) - before) / (idleMs / 1000)) * 100;
}

async function typing(folder: string): Promise<Row[]> {
  const program = await openWorkbench(folder, '', size);
  const times = await undisturbed(() => keyTimes(program));
  const idle = await undisturbed(() => idlePercent(program));
  const memory = megabytes(program);
  await program.end();
  return [
    row('workbench: key to frame, 95th percentile', times[Math.floor(keys * 0.95)] ?? Number.NaN, 'ms', 16),
    row('workbench: idle CPU', idle, '%', 1),
    row('workbench: memory after typing', memory, 'MB', 120),
  ];
}

async function hourOfEvents(folder: string): Promise<Row[]> {
  const api = await serveEvents(eventsOfAnHour);
  const program = await openWorkbench(folder, `--daemon ${api.address}`, size);
  try {
    await program.press(daemonScreen);
    await sleep(idleMs);
    const early = megabytes(program);
    while (!api.isTaken()) await sleep(pauseMs);
    await sleep(idleMs);
    const late = megabytes(program);
    await program.press(tryScreen);
    // Only a screen that replaces another one is written as a whole.
    await Promise.all([program.writes(`${eventsOfAnHour} events`), program.press(daemonScreen)]);
    const against = `early: ${early.toFixed(0)} MB`;
    return [{ ...row('workbench: memory after an hour of events', late, 'MB', 120), against }];
  } finally {
    await program.end();
    api.close();
  }
}

export async function benchWorkbench(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-')); // a folder without a guard.json
  try {
    const start = row('workbench: start to the first frame', await medianStart(folder), 'ms', 250);
    return [start, ...(await typing(folder)), ...(await hourOfEvents(folder))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
