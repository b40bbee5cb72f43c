/** Installs the Lua modules as docs/nginx.md says, and sends requests to a real nginx. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateNginx } from '../../cli/generate/nginx.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { until } from '../../platform/testing/until.ts';
import { blocksOf, blockWith, isShell, readPage } from '../../scripts/pages/blocks.ts';
import { nginxFolder, startNginx, withoutNginx } from '../nginx/process.ts';
import { exchange } from '../support/raw-exchange.ts';

const place = '/usr/local/share/lua/5.1';
const lua = join(packageRoot, 'module/lua');
const page = 'docs/nginx.md';
const [rockspec = ''] = readdirSync(lua).filter((name) => name.endsWith('.rockspec'));

const withoutRocks: string | false = await command('luarocks', ['--version']).then(
  () => false,
  () => 'luarocks is not installed',
);

/** Returns lines of the page that begin with one of these words. */
const commands = (...words: string[]): string[] =>
  blocksOf(page, readPage(page))
    .filter(isShell)
    .flatMap(({ body }) => body.split('\n'))
    .filter((line) => words.includes(line.split(' ')[0] ?? ''));

function server(folder: string): string {
  return `server { listen unix:${folder}/nginx.sock; location / { return 200 "passed"; } }\n`;
}

const statusOf = async (folder: string, path: string): Promise<string> => {
  const answer = await exchange(
    join(folder, 'nginx.sock'),
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  return answer.split(' ')[1] ?? '';
};

async function assertGuarded(folder: string): Promise<void> {
  assert.equal(await statusOf(folder, '/.env'), '403');
  assert.equal(await statusOf(folder, '/index.html'), '200');
}

test('the folder is copied', { skip: withoutNginx }, async (t) => {
  const { folder } = nginxFolder({ http: '' });
  const lines = commands('mkdir', 'cp').map((line) =>
    line.replace(place, `${folder}${place}`).replace('request-guard/', `${packageRoot}/`),
  );
  assert.equal(lines.length, 2);
  await command('sh', ['-euc', lines.join('\n')]);
  const http = generateNginx(Policy.parse({})).replaceAll(place, `${folder}${place}`) + server(folder);
  await startNginx(t, nginxFolder({ http }));
  await assertGuarded(folder);
});

test('the example of the page', { skip: withoutNginx }, async (t) => {
  const example = blockWith(page, 'nginx', '');
  const { folder } = nginxFolder({ http: '' });
  await startNginx(t, nginxFolder({ http: example.replaceAll(place, lua) + server(folder) }));
  assert.equal(await statusOf(folder, '/internal/x'), '403');
  await assertGuarded(folder);
});

test('LuaRocks installs the same files', { skip: withoutNginx || withoutRocks }, async () => {
  const { folder } = nginxFolder({ http: '' });
  const [line = ''] = commands('luarocks');
  assert.ok(line.endsWith(rockspec), line);
  const [program = '', ...words] = line.split(' ');
  // LuaRocks writes a manifest next to the rockspec.
  const copy = join(folder, 'source');
  mkdirSync(copy);
  await command('cp', ['-R', join(lua, 'guard'), join(lua, rockspec), copy]);
  await command(program, [words[0] as string, '--tree', join(folder, 'tree'), ...words.slice(1)], { cwd: copy });
  await command('diff', ['-r', join(lua, 'guard'), join(folder, 'tree/share/lua/5.1/guard')]);
});

test('a reload with a mistake in the policy leaves the old one in force', { skip: withoutNginx }, async (t) => {
  const { folder } = nginxFolder({ http: '' });
  const text = (policy: string) => `lua_package_path "${lua}/?.lua;${lua}/?/init.lua;;";
    init_by_lua_block { require("guard").init({ security_log = false, ${policy} }) }
    rewrite_by_lua_no_postpone on;
    rewrite_by_lua_block { require("guard").check() }
    ${server(folder)}`;
  const placed = nginxFolder({ http: text('') });
  const { child, output } = await startNginx(t, placed);
  writeFileSync(placed.config, readFileSync(nginxFolder({ http: text('metods = {}') }).config));
  child.kill('SIGHUP');
  await until(async () => output().includes('did you mean "methods"'), 'the mistake to be named');
  await assertGuarded(folder);
});
