import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

/** Returns a folder with the package in `request-guard`. */
export async function packPackage(): Promise<string> {
  const folder = scratchFolder('guard-install-');
  await command('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packageRoot });
  await command('sh', ['-c', 'tar -xzf *.tgz && mv package request-guard'], { cwd: folder });
  return folder;
}
