/** The stack without Grafana, which the pictures do not show. */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { buildArtefact } from '../../artefacts/build.ts';
import { freePorts } from '../../platform/free-ports.ts';
import { program } from '../support/guardcli.ts';
import type { Owner } from '../support/tmux.ts';

/** Starts the stack. `folder` must be on the PATH. Returns the URL of Loki. */
export async function startStack(owner: Owner, folder: string, stack: string): Promise<string> {
  symlinkSync(await buildArtefact('compose'), join(folder, 'docker-compose'));
  const [loki, grpc, http, health] = await freePorts(4);
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env.PATH}`,
    GUARD_OTLP_GRPC_PORT: String(grpc),
    GUARD_OTLP_HTTP_PORT: String(http),
    GUARD_COLLECTOR_HEALTH_PORT: String(health),
  };
  const dashboard = (...words: readonly string[]) =>
    promisify(execFile)(process.execPath, [program, 'dashboard', ...words, '--dir', stack], { env });
  owner.after(async () => {
    await dashboard('down', '--volumes');
  });
  await dashboard('up', '--without', 'grafana', '--loki-port', String(loki));
  const [, secret = ''] = /^GUARD_SECRET=(.*)$/m.exec(readFileSync(join(stack, '.env'), 'utf8')) ?? [];
  return `http://127.0.0.1:${loki}/${secret}`;
}
