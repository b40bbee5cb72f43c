/** Replaces a policy file. */
import { readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../program/context.ts';

async function current(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces the file at once, with the same permissions. `before` is the expected text, undefined for no file.
 * @throws Error when the file has another text, or cannot be written
 */
export async function replaceFile(
  name: string,
  before: string | undefined,
  after: string,
  { cwd }: Pick<Context, 'cwd'>,
): Promise<void> {
  const path = resolve(cwd, name);
  if ((await current(path)) !== before)
    throw new Error(`${name} has changed in the meantime; look at the change again`);
  const mode = before === undefined ? 0o644 : (await stat(path)).mode & 0o777;
  const fresh = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(fresh, after, { mode, flag: 'wx' });
    await rename(fresh, path);
  } catch (error) {
    await unlink(fresh).catch(() => {});
    throw error;
  }
}
