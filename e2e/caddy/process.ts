/** Runs the real Caddy as a child process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { buildArtefact } from '../../artefacts/build.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { endChild } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';

export interface CaddyOptions {
  readonly guard?: string;
  readonly options?: string;
  /** Returns the site block of the Caddyfile. Default: one guard for all paths. */
  readonly site?: (port: number) => string;
  /** Path of the event file. Default: a file in a folder of the test. */
  readonly events?: string;
}

const globals = (options: string): string => `{
	admin off
	auto_https off
	order guard first
	${options}
}
`;

const siteOf = (port: number, events: string, guard: string): string => `http://127.0.0.1:${port} {
	guard {
		security_log_file ${events}
		${guard}
	}
	respond "fine"
}
`;

export interface Asked {
  readonly localAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function get(port: number, path: string, { localAddress, headers = {} }: Asked = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, agent: false, headers };
    const sent = request({ ...options, ...(localAddress !== undefined && { localAddress }) }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

/** Starts Caddy until the test ends. `events` is the path of the event file. */
export async function startCaddy(
  t: Pick<TestContext, 'after'>,
  { guard = '', options = '', site, events: file }: CaddyOptions = {},
): Promise<{ port: number; events: string; child: ChildProcess }> {
  const folder = scratchFolder('guard-caddy-');
  const [config, events] = [join(folder, 'Caddyfile'), file ?? join(folder, 'events.jsonl')];
  const port = await freePort();
  writeFileSync(config, globals(options) + (site?.(port) ?? siteOf(port, events, guard)));
  const child = spawn(await buildArtefact('caddy'), ['run', '--config', config], {
    stdio: 'ignore',
    env: { HOME: folder },
  });
  t.after(() => endChild(child));
  await until(
    () =>
      get(port, '/').then(
        () => true,
        () => false,
      ),
    'Caddy to answer',
  );
  return { port, events, child };
}
