/** Starts the packed daemon for the benchmarks of the intake and of the firewall. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { until } from '../../../platform/testing/until.ts';

/** A new folder, in which `path` names a file. A log with this name is empty, and there is a policy `guard.json`. */
export function intakeFolder(): { readonly folder: string; readonly path: (name: string) => string } {
  const folder = scratchFolder('guard-intake-');
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('source.log'), '');
  writeFileSync(path('guard.json'), '{"checkQuery": true, "exploits": "paths"}');
  return { folder, path };
}

interface Sections {
  readonly bans: { readonly scope?: 'host'; readonly kernel?: 'off' };
  readonly intake?: readonly object[];
}

/**
 * Starts the daemon with the flags of packaging/systemd/host.conf and its files in `folder`. Resolves when it has the state
 * that `isReady` wants of `/stats`, in text.
 */
export async function startGuard(
  folder: string,
  { bans, intake = [] }: Sections,
  isReady: (stats: string) => boolean = (stats) => bans.scope !== 'host' || stats.includes('"mechanism":"nftables"'),
): Promise<ChildProcess> {
  const [file, socket] = [join(folder, 'tcp-guard.yaml'), join(folder, 'api.sock')];
  const global = { log_level: 'error', data_dir: join(folder, 'data'), log_file: join(folder, 'audit.jsonl') };
  writeFileSync(file, JSON.stringify({ version: 1, global, api: { listen: '', socket }, bans, intake }));
  const args = ['--max-semi-space-size=4', join(packageRoot, 'dist/bin/tcp-guard.js'), '-c', file];
  const env = { ...process.env, MALLOC_ARENA_MAX: '1' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece;
  });
  const stats = ['--silent', '--unix-socket', socket, 'http://guard/stats'];
  await until(() => {
    if (child.exitCode !== null) throw new Error(`tcp-guard ended: ${said}`);
    const text = spawnSync('curl', stats, { encoding: 'utf8' }).stdout;
    return text.includes('"intake"') && isReady(text);
  });
  return child;
}
