/**
 * Runs Schemathesis against the management API. The response of /events does not end; daemon/api/events.test.ts covers
 * it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../contract/api/operations.ts';
import { loadDaemon } from '../../contract/load/index.ts';
import { startDaemon } from '../../daemon/app/daemon.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

/** Path of Schemathesis in the test image. */
const program = '/opt/schemathesis/bin/schemathesis';

const token = 'schemathesis-has-the-token';
const authorization = `Bearer ${token}`;
/** Maximum number of random requests per operation, in addition to requests that cover the document. */
const examples = 30;

const args = [
  ...['--checks', 'all', '--max-examples', String(examples), '--seed', '1', '--workers', '2'],
  ...['--exclude-path', operations.events.path, '--header', `Authorization: ${authorization}`],
  ...['--request-timeout', '10', '--no-color'],
];

function configuration(folder: string, port: number): string {
  return JSON.stringify({
    global: { data_dir: join(folder, 'data'), log_file: join(folder, 'audit.jsonl'), max_connections: 100 },
    api: { listen: `127.0.0.1:${port}`, auth_token: token },
    services: { web: { listen: '127.0.0.1:0', upstream: `127.0.0.1:${port}` } },
  });
}

/** Returns the exit status: 0 when Schemathesis found nothing. */
async function runSchemathesis(folder: string, url: string): Promise<number> {
  const document = await fetch(url + operations.openapi.path, { headers: { authorization } });
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await document.text());
  const child = spawn(program, ['run', file, '--url', url, ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = await once(child, 'close');
  return status ?? 1;
}

async function run(folder: string): Promise<number> {
  const port = await freePort();
  const read = () => loadDaemon(Buffer.from(configuration(folder, port)), 'tcp-guard.yaml');
  const loaded = read();
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('; '));
  const daemon = await startDaemon(loaded.value, { read, folder });
  try {
    return await runSchemathesis(folder, `http://127.0.0.1:${port}`);
  } finally {
    await daemon.close(0);
  }
}

const folder = scratchFolder('guard-api-contract-');
process.exitCode = await run(folder);
