/** Requests protected files in spellings that a real server would accept. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import limit from 'p-limit';
import { type FileServer, fileServers } from '../../conformance/servers/files.ts';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { endChild } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf } from '../nginx/lua/guarded.ts';
import { exchangeBytes } from '../nginx/lua/respond/wire.ts';
import { freePort } from '../support/guardcli.ts';
import { proxies } from './broken-bodies/proxies.ts';

const width = 16;
const secret = 'the content of a protected file';
const policy = 'built-in';

/** Only examples that are plain paths. Others are already other spellings of a path, for example with escapes. */
const examples = builtInRules
  .filter(({ action, targets }) => action === 'block' && targets.includes('path'))
  .flatMap(({ matches }) => matches)
  .filter((path) => /^(?:\/[\w@~-][\w.@~-]*)+$/.test(path));

/** Returns the paths of the created files. When one path is a folder of another, only the first is created. */
function writeExamples(folder: string): string[] {
  writeFileSync(join(folder, 'ready.html'), 'ready');
  return [...new Set(examples)].filter((path) => {
    const file = join(folder, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      if (existsSync(file) && statSync(file).isDirectory()) return false;
      writeFileSync(file, secret);
      return true;
    } catch {
      return false;
    }
  });
}

const get = (port: number, target: string): Promise<string> => exchangeBytes(port, bytesOf({ target, policy }));

async function startServer(t: TestContext, { serve }: FileServer, folder: string): Promise<number> {
  const port = await freePort();
  const { program, args } = serve(folder, port);
  const child = spawn(program, args, { stdio: 'ignore' });
  t.after(() => endChild(child));
  await until(async () => (await get(port, '/ready.html')).includes('ready'), `${program} to serve files`);
  return port;
}

async function leaks(port: number, targets: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  await limit(width).map(targets, async (target) => {
    if ((await get(port, target)).includes(secret)) found.push(target);
  });
  return found;
}

for (const [name, server] of Object.entries(fileServers))
  test(`files of ${name}`, async (t) => {
    const folder = scratchFolder('guard-files-');
    const paths = writeExamples(folder);
    assert.ok(paths.length > 100, `${paths.length} examples`);
    const targets = server.spellings.flatMap((spelling) => paths.map(spelling));
    const port = await startServer(t, server, folder);
    await t.test('the server alone returns a file for some of each spelling', async () => {
      for (const spelling of server.spellings)
        assert.notDeepEqual(await leaks(port, paths.map(spelling)), [], spelling('/backup.sql'));
    });
    for (const [proxy, { start, without = false }] of Object.entries(proxies))
      await t.test(`${proxy} returns none`, { skip: without }, async (one) => {
        const running = await start(
          one,
          { [policy]: { securityLog: false, builtinRules: 'extended' } },
          `http://127.0.0.1:${port}`,
        );
        await until(async () => (await get(running.port, '/ready.html')).includes('ready'), `${proxy} to answer`);
        assert.deepEqual(await leaks(running.port, targets), []);
      });
  });
