/**
 * Packs a configuration for a container. A container runtime on another machine could not mount a folder of this one.
 */
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { ConfigFile } from './proxy.ts';

/** The runner unpacks the configuration in this variable. */
export const configVariable = 'GUARD_CONFIG_B64';

/** The kernel limits one environment string to 128 KiB. A larger archive goes through standard input. */
export const variableLimit = 90 * 1024;

/** Returns a compressed tar. The same files give the same bytes. */
export async function packArchive(files: readonly ConfigFile[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, text, bytes = Buffer.from(text) } of files)
    tar.entry({ name, mode: 0o600, mtime: new Date(0) }, bytes as Buffer);
  tar.finalize();
  // Text should fit into one variable. Databases are too large for one, and take ten seconds at the best level.
  const hasBytes = files.some(({ bytes }) => bytes !== undefined);
  return gzipSync(await buffer(tar), { level: hasBytes ? 1 : 9 });
}

/** Encodes an archive for a variable. Returns undefined when it is too large. */
export function asVariable(packed: Buffer): string | undefined {
  const value = packed.toString('base64');
  return value.length <= variableLimit ? value : undefined;
}
