/**
 * Schemathesis against the management API: requests made from its OpenAPI document, valid ones and such as break it, and
 * answers held to it. /events is left out, since its answer does not end; daemon/api/events.test.ts has it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { packageRoot } from '../cli/assets.ts';
import { operations } from '../contract/api.ts';
import { startApi } from '../daemon/api/index.ts';
import { testConfig, testCore } from '../daemon/api/testing.ts';
import { createBans } from '../daemon/bans/index.ts';

const token = 'schemathesis-has-the-token';
/** Requests of each operation, beside those that cover its document. */
const examples = 30;

const args = [
  ...['--checks', 'all', '--max-examples', String(examples), '--seed', '1', '--workers', '2'],
  ...['--exclude-path', operations.events.path, '--header', `Authorization: Bearer ${token}`],
  ...['--request-timeout', '10', '--no-color'],
];

async function run(folder: string): Promise<number> {
  const config = testConfig({ auth_token: token });
  const bans = await createBans({ config, dataDir: folder, now: Date.now });
  const core = testCore({ bans });
  const api = await startApi({ config, core });
  const url = `http://${api.addresses[0]}`;
  const document = await fetch(url + operations.openapi.path, { headers: { Authorization: `Bearer ${token}` } });
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await document.text());
  const program = ['-m', 'schemathesis.cli', 'run', file, '--url', url, ...args];
  const env = { ...process.env, PYTHONPATH: join(packageRoot, '.toolchain/schemathesis') };
  const child = spawn('python3', program, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(child, 'close');
  await api.close();
  await bans.close();
  for (const fault of core.faults) process.stdout.write(`fault: ${fault}\n`);
  return status === 0 && core.faults.length === 0 ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), 'guard-api-contract-'));
try {
  process.exitCode = await run(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
