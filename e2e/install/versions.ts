/**
 * Builds the last three minor versions of each proxy with the guard, and prints a table for docs/traefik.md: `npm run
 * versions`. A cold build takes minutes.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { builtProxies } from '../../cli/build/proxies.ts';
import { command } from '../../platform/command.ts';
import { ExternalError } from '../../platform/errors.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { program } from '../support/guardcli.ts';

/** Versions that are built in addition to the pinned ones. */
const versions = { traefik: ['3.6.12', '3.5.0'], caddy: ['2.10.2', '2.9.1'] } as const;

const folder = scratchFolder('guard-versions-');

/** Returns undefined when the version was built and runs. */
async function problemOf(proxy: keyof typeof versions, version: string): Promise<string | undefined> {
  const output = join(folder, proxy);
  const options = proxy === 'traefik' ? ['--without-webui'] : [];
  try {
    await command(process.execPath, [program, 'build', proxy, '--version', version, '-o', output, ...options], {
      onText: (text) => process.stderr.write(text),
    });
    const printed = execFileSync(output, ['version'], { encoding: 'utf8' });
    return printed.includes(version) ? undefined : `it prints ${JSON.stringify(printed)}`;
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    return error.failed.output ?? error.message;
  } finally {
    rmSync(output, { force: true });
  }
}

const lines = ['| proxy | builds | does not build |', '|---|---|---|'];
for (const { name, title, module } of builtProxies) {
  const found: [string[], string[]] = [[], []];
  for (const version of [module.pinned.slice(1), ...versions[name]]) {
    const problem = await problemOf(name, version);
    if (problem !== undefined) process.stderr.write(`${title} ${version}: ${problem}\n`);
    found[problem === undefined ? 0 : 1].push(version);
  }
  if (found[1].length > 0) process.exitCode = 1;
  lines.push(`| ${title} | ${found[0].join(', ')} | ${found[1].join(', ')} |`);
}
process.stdout.write(`${lines.join('\n')}\n`);
