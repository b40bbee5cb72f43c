/** Writes the manual pages from the help: `node packaging/bundle/manuals.js <folder>`, below dist/. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../cli/commands/index.ts';
import { runCaptured } from '../../cli/testing/captured.ts';
import { packageRoot } from '../../platform/assets.ts';
import { manPage } from './man.ts';

const helpOf = async (...argv: string[]): Promise<string> => (await runCaptured([...argv, '--help'])).stdout;

async function guardcliPage(): Promise<string> {
  const names = commands.map(({ name }) => name);
  const helps = await Promise.all(names.map(async (name) => [`guardcli ${name}`, await helpOf(name)] as const));
  const summary = 'tests a policy against path scanners, offline and in real proxies';
  return manPage({ name: 'guardcli', section: 1, summary, help: await helpOf(), commands: Object.fromEntries(helps) });
}

export function tcpGuardPage(): string {
  const source = readFileSync(join(packageRoot, 'daemon/app/main.ts'), 'utf8');
  const help = /const usage = `([^`]*)`/.exec(source)?.[1] ?? '';
  const files = {
    '/etc/guard/tcp-guard.yaml': 'The configuration.',
    '/etc/guard/tcp-guard.env':
      'Variables that the configuration names as ${NAME}: one NAME=value per line, mode 0600.',
    '/var/lib/guard': 'Bans, which survive restarts.',
    '/var/log/guard/tcp-guard.jsonl': 'The audit file.',
  };
  return manPage({ name: 'tcp-guard', section: 8, summary: 'the layer-4 guard', help, files });
}

/** Returns the pages by the names of their files. */
export const manuals = async (): Promise<Readonly<Record<string, string>>> => ({
  'guardcli.1': await guardcliPage(),
  'tcp-guard.8': tcpGuardPage(),
});

if (import.meta.main) {
  const [, , folder = '.'] = process.argv;
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(await manuals())) writeFileSync(join(folder, name), text);
}
