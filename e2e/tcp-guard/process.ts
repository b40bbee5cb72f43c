/** Runs tcp-guard of this checkout as a child process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { proxyHeader } from '../../cli/probes/tcp/proxy-header.ts';
import type { AuditEvent } from '../../daemon/audit/event.ts';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { collectOutput, endChild, hasEnded } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { listen } from '../support/listen.ts';
import type { Owner } from '../support/tmux.ts';

/** Limit for a response of the API, on a busy machine. */
const patienceMs = 60_000;

const program = import.meta.filename.endsWith('.ts') ? 'daemon/app/start.ts' : 'dist/bin/tcp-guard.js';

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

export interface RunningGuard {
  readonly socket: string;
  readonly ask: (method: string, path: string, value?: unknown) => Promise<ApiAnswer>;
  /** Complete lines of the audit file. */
  readonly events: () => AuditEvent[];
  readonly stderr: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly pid: number;
  readonly ended: Promise<unknown>;
}

function ask(socketPath: string, method: string, path: string, value?: unknown): Promise<ApiAnswer> {
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(patienceMs);
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, headers, signal }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: await text(answer) });
    });
    sent.on('error', reject).end(value === undefined ? undefined : JSON.stringify(value));
  });
}

export async function startGuard(t: Owner, config: object, global: object = {}): Promise<RunningGuard> {
  const folder = scratchFolder('guard-daemon-');
  const [log, socket, file] = ['audit.jsonl', 'api.sock', 'tcp-guard.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const full = {
    global: { log_level: 'info', log_file: log, data_dir: join(folder, 'data'), ...global },
    api: { listen: '', socket },
    bans: { kernel: 'off' }, // clients of a banned address must get a reset
    ...config,
  };
  writeFileSync(file, JSON.stringify(full));
  const child = spawn(process.execPath, [join(packageRoot, program), '-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr = collectOutput(child);
  const ended = once(child, 'close');
  t.after(() => endChild(child));
  await until(
    async () => {
      if (hasEnded(child)) throw new Error(`tcp-guard ended: ${stderr()}`);
      return (await ask(socket, 'GET', '/health').catch(() => undefined))?.status === 200;
    },
    () => `tcp-guard to serve: ${stderr()}`,
  );
  return {
    socket,
    ask: (method, path, value) => ask(socket, method, path, value),
    events: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    stderr,
    signal: (name) => void child.kill(name),
    pid: child.pid as number,
    ended,
  };
}

/** Forwards connections to `to` as clients of this address. */
export async function openForwardingPort(t: TestContext, ip: string, to: number): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const guard = connect({ host: '127.0.0.1', port: to, allowHalfOpen: true });
    guard.write(proxyHeader(ip, client.remotePort ?? 1, 'v1'));
    for (const [one, other] of [
      [client, guard],
      [guard, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  t.after(() => {
    for (const socket of open) socket.destroy();
  });
  return listen(t, server);
}
