/** Packs this checkout like npm. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';

/** Returns a folder with the package in `request-guard`. Removes it after the test. */
export async function packPackage(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-install-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await command('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packageRoot });
  await command('sh', ['-c', 'tar -xzf *.tgz && mv package request-guard'], { cwd: folder });
  return folder;
}
