/** Measures the cost of the guard in a real Caddy for clean traffic. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../platform/free-ports.ts';
import { buildArtefact } from '../sandbox-images/build.ts';
import { stop } from './process.ts';
import type { Row } from './row.ts';
import { type Running, sideBySide, start } from './side-by-side.ts';

/** Starts a Caddy on a free port. `guard` is its directive, or empty. */
export async function startCaddy(binary: string, folder: string, name: string, guard: string): Promise<Running> {
  const port = await freePort();
  const file = join(folder, `${name}.Caddyfile`);
  const site = `:${port} {\n\tbind 127.0.0.1\n\troute {\n\t\t${guard}\n\t\trespond ok\n\t}\n}\n`;
  writeFileSync(file, `{\n\tadmin off\n\tpersist_config off\n\tauto_https off\n}\n${site}`);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const command = [binary, 'run', '--adapter', 'caddyfile', '--config', file];
  return start(command, port, '/assets/app.3f2a.css', { env });
}

export async function benchCaddy(): Promise<Row[]> {
  const binary = await buildArtefact('caddy', {});
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const proxies: Running[] = [];
  try {
    const bare = await startCaddy(binary, folder, 'bare', '');
    proxies.push(bare);
    const guarded = await startCaddy(binary, folder, 'guarded', 'guard');
    proxies.push(guarded);
    return await sideBySide('Caddy', 0.95, bare, guarded);
  } finally {
    for (const { child } of proxies) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}
