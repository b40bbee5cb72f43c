/** Builds proxies with the guard for images and Debian packages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { packageRoot } from '../../platform/assets.ts';
import { type CommandOptions, command } from '../../platform/command.ts';
import { modulesIn } from './go-modules.ts';
import type { ShippedPackage } from './licenses.ts';

/** Writes the program, and its licenses to `<output>.LICENSES.txt`. Returns the Go modules in it. */
export async function buildProxy(
  name: 'caddy' | 'traefik',
  output: string,
  options: CommandOptions = {},
): Promise<ShippedPackage[]> {
  // Not every npm registry has the packages of the web interface.
  const without = name === 'traefik' && process.env.GUARD_WITHOUT_WEBUI ? ['--without-webui'] : [];
  const program = join(packageRoot, 'dist/bin/guardcli.js');
  await command(process.execPath, [program, 'build', name, '--output', output, ...without], options);
  return modulesIn(readFileSync(`${output}.LICENSES.txt`, 'utf8'));
}
