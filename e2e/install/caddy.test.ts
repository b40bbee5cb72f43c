/** Runs the steps of docs/caddy.md verbatim. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { command } from '../../platform/command.ts';
import { endChild } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { freePort } from '../support/guardcli.ts';
import { packPackage } from '../support/packed.ts';

const block = (language: string, text: string): string => blockWith('docs/caddy.md', language, text);

test('a Caddy is built as the page says, and blocks', async (t) => {
  const folder = await packPackage();
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'main.go'), block('go', 'func main()'));
  await command('sh', ['-e', '-c', block('sh', 'go mod init')], { cwd: site });
  const port = await freePort();
  const global = '{\n\tadmin off\n\tpersist_config off\n\tauto_https off\n\torder guard first\n}\n';
  writeFileSync(join(site, 'Caddyfile'), `${global}http://127.0.0.1:${port} {\n\tguard\n\trespond "passed"\n}\n`);
  const caddy = spawn(join(site, 'caddy'), ['run'], { cwd: site, env: { HOME: site }, stdio: 'ignore' });
  t.after(() => endChild(caddy));
  const status = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      (answer) => answer.status,
      () => 0,
    );
  await until(async () => (await status('/')) === 200, 'Caddy to serve');
  assert.equal(await status('/.env'), 403);
});
