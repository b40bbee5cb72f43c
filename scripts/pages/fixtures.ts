/**
 * Provides the files that pages expect on the reader's machine. Each file is written before the first block of a page
 * that names it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../platform/assets.ts';
import { blockWith } from './blocks.ts';
import { accessLog, eventLog } from './yesterday.ts';

const example = (name: string) => () => readFileSync(join(packageRoot, 'examples', name), 'utf8');
const lines = (...texts: readonly string[]) => `${texts.join('\n')}\n`;
const fileWithMistakes = lines(
  ...['cases:', '  - name: a', '    request: { path: /.env }', '    expct: { verdict: blocked }', ''],
  ...['  - name: b', '    request: { path: / }', '    #', '    expect: { path: /, verdict: bloked }'],
);

const files: Readonly<Record<string, () => string | Buffer>> = {
  'guard.json': example('guard.json'),
  'cases.yaml': example('cases.yaml'),
  'mistakes.yaml': () => fileWithMistakes,
  'tcp-guard.yaml': () => blockWith('docs/tcp-guard.md', 'yaml', 'protocol: ssh'),
  'old.json': () => '{ "blockPatterns": ["^/internal/"] }\n',
  'new.json': () => '{ "blockPatterns": ["^/(?:internal|private)/"] }\n',
  'links.txt': () => lines('/', '/index.html', '/docs/install', '/private/status', '/robots.txt'),
  'access.log': accessLog,
  'access.log.gz': () => gzipSync(accessLog()),
  'events.jsonl': eventLog,
};

/** Files outside of the scratch folder. They are written only in the test image. */
const systemFiles: typeof files = {
  '/var/log/nginx/access.log': accessLog,
  '/var/log/guard/tcp-guard.jsonl': eventLog,
  '/var/log/guard/caddy/guard.jsonl': eventLog,
};

/**
 * Maps a part of a command to the program that must already run. In the test image no such program runs, so it is
 * started.
 */
const runningPrograms: Readonly<Record<string, string>> = { 'nginx -s reload': 'nginx' };

/** Files that other files need: a suite names its policy. */
const filesNeededBy: Readonly<Record<string, string>> = { 'cases.yaml': 'guard.json' };

function write(path: string, content: string | Buffer): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** True when a script names the file, also with wildcards. */
const isNamed = (script: string, name: string): boolean =>
  script
    .split(/[\s'"=]+/)
    .some((word) => word === name || (name.startsWith('/') && word.includes('*') && matchesGlob(name, word)));

export function writeFixtures(script: string, folder: string, isImage: boolean): void {
  const names = Object.keys(files).filter((name) => isNamed(script, name));
  for (const name of [...names, ...names.map((one) => filesNeededBy[one] ?? one)])
    write(resolve(folder, name), (files[name] as () => string | Buffer)());
  if (!isImage) return;
  for (const [name, content] of Object.entries(systemFiles)) if (isNamed(script, name)) write(name, content());
  for (const [part, program] of Object.entries(runningPrograms)) if (script.includes(part)) execFileSync(program);
}
