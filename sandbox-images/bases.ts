/**
 * Base images: pinned by name in bases.json, pulled from a mirror when GUARD_BASE_PREFIX names one, or made by
 * bootstrap.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheError, cacheFolder } from '../platform/cache.ts';
import { makeFolder } from '../platform/folder.ts';
import pinned from './bases.json' with { type: 'json' };

export type BaseName = keyof typeof pinned;

/** Prefix of images that bootstrap made because no image registry responds. */
export const seededPrefix = 'localhost/guard-base';

type Environment = Readonly<Record<string, string | undefined>>;

const decisionFile = (env: Environment): string => join(cacheFolder(env), 'registry.json');

/** The result of the last try on this machine; undefined when there was none. */
export function registryAnswers(env: Environment = process.env): boolean | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(decisionFile(env), 'utf8'));
    return (kept as { answers?: unknown }).answers === true;
  } catch {
    return undefined;
  }
}

/** How long no registry is tried again after none responded. */
const findingMs = 24 * 60 * 60 * 1000;

/** Whether the finding needs no new try: a registry responded, or none did within the last day. */
export function hasFreshFinding(env: Environment = process.env, now = Date.now()): boolean {
  const answers = registryAnswers(env);
  return answers === true || (answers === false && now - statSync(decisionFile(env)).mtimeMs < findingMs);
}

/**
 * Container runtimes report the cause of a failed pull only as text. Other causes, such as a rate limit or a full
 * disk, do not count.
 */
const unreachable =
  /does not respond|no such host|name resolution|connection refused|connection reset|no route to host|network is unreachable|i\/o timeout|TLS handshake timeout|deadline exceeded|Client\.Timeout|proxyconnect|server misbehaving/i;

/** Whether the error of a pull means that this machine reaches no image registry. */
export const meansNoRegistry = (message: string): boolean => unreachable.test(message);

/** Saves the current finding. Returns the file. @throws GuardError where the cache cannot be written */
export function keepRegistryAnswer(answers: boolean, env: Environment = process.env): string {
  const file = decisionFile(env);
  try {
    makeFolder(dirname(file));
    writeFileSync(`${file}.${process.pid}`, `${JSON.stringify({ answers })}\n`);
    renameSync(`${file}.${process.pid}`, file);
    return file;
  } catch (error) {
    throw cacheError(error, env);
  }
}

/** Images that bootstrap can make: from packages, or from what it compiles. */
const seeded: readonly BaseName[] = ['debian', 'debian-trixie', 'debian-sid', 'loki', 'collector'];

/** `GUARD_BASE_PREFIX` (a mirror), or the prefix of images of bootstrap where no registry responds, or nothing. */
function prefix(name: BaseName, env: Environment): string | undefined {
  if (env.GUARD_BASE_PREFIX) return env.GUARD_BASE_PREFIX;
  return seeded.includes(name) && registryAnswers(env) === false ? seededPrefix : undefined;
}

const below = (before: string | undefined, reference: string): string =>
  before ? `${before}/${reference.slice(reference.lastIndexOf('/') + 1)}` : reference;

/** The pinned reference, whatever the source on this machine. */
export const pinnedBase = (name: BaseName): string => pinned[name];

/** The reference for another machine: the pinned one, or that of the mirror in `GUARD_BASE_PREFIX`. */
export const publicImage = (name: BaseName, env: Environment): string => below(env.GUARD_BASE_PREFIX, pinned[name]);

/** The reference to use in a Dockerfile, in a compose file or for a container on this machine. */
export const baseImage = (name: BaseName, env: Environment = process.env): string =>
  below(prefix(name, env), pinned[name]);
