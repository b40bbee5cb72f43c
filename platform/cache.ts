/** The one folder where we keep what may be lost: built artefacts, and the decision about image registries. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** `$XDG_CACHE_HOME/request-guard`, or `~/.cache/request-guard`; the XDG rules say to ignore a relative value. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const wanted = env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(wanted) ? wanted : join(homedir(), '.cache'), 'request-guard');
}

/** Whether an error, or what a failed program printed, says that a disk is full. */
export function isFullDisk(error: unknown): boolean {
  const { code, message, failed } = error as { code?: unknown; message?: string; failed?: { output?: string } };
  return code === 'ENOSPC' || /ENOSPC|no space left on device/i.test(`${message}\n${failed?.output}`);
}
