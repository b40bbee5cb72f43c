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
  const isWithout = name === 'traefik' && Boolean(process.env.GUARD_WITHOUT_WEBUI);
  const program = join(packageRoot, 'dist/bin/guardcli.js');
  const args = [program, 'build', name, '--json', '--output', output, ...(isWithout ? ['--without-webui'] : [])];
  const { webInterface } = JSON.parse(await command(process.execPath, args, options));
  // guardcli goes on without it. A release must not.
  if (name === 'traefik' && !isWithout && !webInterface)
    throw new Error('the web interface of Traefik cannot be built: GUARD_WITHOUT_WEBUI=1 omits it');
  return modulesIn(readFileSync(`${output}.LICENSES.txt`, 'utf8'));
}
