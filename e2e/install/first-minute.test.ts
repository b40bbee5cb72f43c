/** Follows the documentation in a new clone, and with the package on a machine with only Node and npm. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { quote } from '../../cli/program/quote.ts';
import { installable, packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { blocksOf, isShell, pages, readPage, scriptOf } from '../../scripts/pages/blocks.ts';
import { commandLines, inlineCommands } from '../../scripts/pages/command-lines.ts';
import { runPage, runScript } from '../../scripts/pages/run.ts';
import type { Scratch } from '../../scripts/pages/scratch.ts';
import { skip } from '../support/guardcli.ts';
import { mirrorRe2, mirrorVariables, startCleanMachine } from './clean-machine.ts';

/** Returns a page that installs the packed file, because a registry gets a release only after its tests. */
const pageWithFile = (page: string): string => readPage(page).replaceAll(installable(true), installable(false));

/** Runs the commands of all pages, those of README.md first. */
async function follow(way: string, scratch: Scratch): Promise<number> {
  const results = [];
  for (const page of pages) results.push(...(await runPage(page, pageWithFile(page), way, scratch)));
  for (const { block, problems } of results) assert.deepEqual(problems, [], `${block.page}:${block.line}`);
  return results.length;
}

/** Returns the commands of a page that start one of our programs. */
function ownCommands(page: string): string[] {
  const text = readPage(page);
  const scripts = [...blocksOf(page, text).filter(isShell).map(scriptOf), ...inlineCommands(text)];
  const lines = scripts.flatMap(commandLines).map(([program = '', ...args]) => [program.replace(/^\.\//, ''), ...args]);
  return lines
    .filter(([program]) => program === 'guardcli' || program === 'tcp-guard')
    .map((words) => words.map(quote).join(' '));
}

/** Makes a clone without installed or compiled files. */
async function newClone(): Promise<string> {
  const root = scratchFolder('guard-clone-');
  const folder = join(root, 'request-guard');
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8' }).split('\0');
  for (const name of names.filter((one) => one !== '' && existsSync(join(packageRoot, one))))
    cpSync(join(packageRoot, name), join(folder, name), { verbatimSymlinks: true });
  return folder;
}

// Compiled programs are reused from the cache, because compiling Caddy takes minutes.
test('the pages in a new clone, from the first line of README.md to a sandbox', { skip }, async () => {
  const folder = await newClone();
  const env = {
    ...(process.env as Record<string, string>),
    ...mirrorVariables(mirrorRe2(join(folder, '.cache/re2'))),
    npm_config_prefix: join(folder, '.cache/prefix'),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  };
  assert.ok((await follow('clone', { folder, env, prefix: [], remove: () => {} })) >= 2);
});

test('the package on a machine with only Node and npm: the pages, and every command of README.md', {
  skip,
}, async (t) => {
  const machine = await startCleanMachine(t);
  const { folder } = machine;
  await command('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packageRoot });
  assert.ok((await follow('packed', machine)) >= 2);
  const prepare = [
    ...['cp -R "$(npm root -g)/request-guard/examples" .', 'cp examples/guard.json .', 'mkdir -p /var/log/caddy'],
    `echo '198.51.100.9 - - [22/Nov/2026:13:50:09 +0000] "GET /.env HTTP/1.1" 404 5' > /var/log/caddy/access.log`,
  ];
  const prepared = await runScript(prepare.join(' && '), machine);
  assert.equal(prepared.status, 0, prepared.output);
  const lines = ownCommands('README.md');
  assert.ok(lines.length > 3, lines.join('\n'));
  for (const line of lines) {
    const { status, output } = await runScript(line, machine);
    assert.equal(status, 0, `${line}\n${output}`);
  }
});
