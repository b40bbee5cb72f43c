/** How a configuration travels into a container: nothing is mounted, so that container runtimes on other machines work too. */
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { ConfigFile } from './targets/proxy.ts';

/** The runner's variable. */
export const configVariable = 'GUARD_CONFIG_B64';

/** The kernel takes 128 KiB in one environment string; an archive beyond this goes through standard input. */
export const variableLimit = 90 * 1024;

/** A gzipped tar, the same bytes for the same files. */
export async function archive(files: readonly ConfigFile[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, text, bytes = Buffer.from(text) } of files)
    tar.entry({ name, mode: 0o600, mtime: new Date(0) }, bytes as Buffer);
  tar.finalize();
  // Text has to fit into one variable; what is no text never does, and the best level takes it ten seconds.
  const hasBytes = files.some(({ bytes }) => bytes !== undefined);
  return gzipSync(await buffer(tar), { level: hasBytes ? 1 : 9 });
}

/** The value of the variable, or undefined when the archive is too large for one. */
export function asVariable(packed: Buffer): string | undefined {
  const value = packed.toString('base64');
  return value.length <= variableLimit ? value : undefined;
}
