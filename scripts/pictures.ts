/** `scripts/node scripts/pictures.ts`: docs/pictures/*.svg, drawn from the screen of the real program in tmux. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../platform/assets.ts';
import { svgOf } from './screen-svg.ts';

interface Picture {
  readonly name: string;
  /** Keys by tmux's names; other texts are typed. */
  readonly keys: readonly string[];
  /** Text on the finished screen. */
  readonly shows: string;
}

const pictures: readonly Picture[] = [
  { name: 'try', keys: [], shows: 'nginx' },
  { name: 'policy', keys: ['Escape', '2', '/', 'env-file', 'Enter', 'x'], shows: 'disabledRules' },
  { name: 'sandboxes', keys: ['Escape', '3', 'j'], shows: '--port 8081' },
  { name: 'daemon', keys: ['Escape', '4'], shows: 'tcp-guard responds' },
  { name: 'dashboard', keys: ['Escape', '5'], shows: 'quit' },
];

const sizes = [
  [80, 24],
  [140, 40],
] as const;

/** For one picture on a busy machine. */
const patienceMs = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'guard-pictures-'));
const tmux = (...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', 'guard-pictures', '-f', '/dev/null', ...args], { encoding: 'utf8' });

async function until(text: string): Promise<void> {
  for (const end = Date.now() + patienceMs; !tmux('capture-pane', '-p').includes(text); await sleep(50))
    if (Date.now() > end)
      throw new Error(`${JSON.stringify(text)} is not on the screen:\n${tmux('capture-pane', '-p')}`);
}

async function draw({ name, keys, shows }: Picture, columns: number, rows: number): Promise<void> {
  const command = `cd '${folder}' && '${process.execPath}' '${join(packageRoot, 'dist/bin/guardcli.js')}'`;
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), command);
  try {
    await until('BLOCKED 403');
    for (const key of keys) {
      tmux('send-keys', key);
      await sleep(200); // Escape and the following key would be one sequence
    }
    await until(shows);
    const file = join(packageRoot, 'docs/pictures', `workbench-${name}-${columns}x${rows}.svg`);
    writeFileSync(file, svgOf(tmux('capture-pane', '-p', '-e'), columns, rows));
  } finally {
    tmux('kill-server');
  }
}

mkdirSync(join(packageRoot, 'docs/pictures'), { recursive: true });
writeFileSync(join(folder, 'guard.json'), '{\n  "checkQuery": true,\n  "mode": "enforce"\n}\n');
try {
  for (const [columns, rows] of sizes) for (const picture of pictures) await draw(picture, columns, rows);
} finally {
  rmSync(folder, { recursive: true });
}
