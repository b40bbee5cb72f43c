/** Base images, pinned in bases.json: pulled from a registry or a mirror, or built by bootstrap. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheError, cacheFolder } from '../platform/cache.ts';
import { makeFolder } from '../platform/folder.ts';
import { replaceFileSync } from '../platform/regular-file.ts';
import pinned from './bases.json' with { type: 'json' };

export type BaseName = keyof typeof pinned;

/** Prefix of images that bootstrap builds when no image registry responds. */
export const seededPrefix = 'localhost/guard-base';

type Environment = Readonly<Record<string, string | undefined>>;

const decisionFile = (env: Environment): string => join(cacheFolder(env), 'registry.json');

/**
 * Returns whether a registry responded to the last attempt on this machine, or undefined when there was no attempt or
 * its record cannot be read.
 */
export function didRegistryRespond(env: Environment = process.env): boolean | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(decisionFile(env), 'utf8'));
    return (record as { answers?: unknown }).answers === true;
  } catch {
    return undefined;
  }
}

/** Milliseconds for which a negative result is cached. */
const cachedResultMs = 24 * 60 * 60 * 1000;

/** True when the cached result is still valid: a registry responded, or none did within the last day. */
export function hasFreshRegistryAnswer(env: Environment = process.env, now = Date.now()): boolean {
  const didRespond = didRegistryRespond(env);
  return didRespond === true || (didRespond === false && now - statSync(decisionFile(env)).mtimeMs < cachedResultMs);
}

/** Errors of an unreachable registry: container runtimes report the cause of a failed pull only as text. */
const unreachableError =
  /does not respond|no such host|name resolution|connection refused|connection reset|no route to host|network is unreachable|i\/o timeout|TLS handshake timeout|deadline exceeded|Client\.Timeout|proxyconnect|server misbehaving/i;

export const meansNoRegistry = (message: string): boolean => unreachableError.test(message);

/** Caches whether a registry responded. Returns the cache file. @throws GuardError when the cache cannot be written */
export function cacheRegistryAnswer(didRespond: boolean, env: Environment = process.env): string {
  const file = decisionFile(env);
  try {
    makeFolder(dirname(file));
    replaceFileSync(file, (unfinished) => writeFileSync(unfinished, `${JSON.stringify({ answers: didRespond })}\n`));
    return file;
  } catch (error) {
    throw cacheError(error, env);
  }
}

/** Images that bootstrap can build, from Debian packages or from compiled programs. */
const seededImages: readonly BaseName[] = ['debian', 'debian-trixie', 'debian-sid', 'collector'];

/**
 * Returns GUARD_BASE_PREFIX if it is set. Otherwise returns `seededPrefix` when no registry responds and bootstrap can
 * build the image, or undefined.
 */
function prefix(name: BaseName, env: Environment): string | undefined {
  if (env.GUARD_BASE_PREFIX) return env.GUARD_BASE_PREFIX;
  return seededImages.includes(name) && didRegistryRespond(env) === false ? seededPrefix : undefined;
}

const withPrefix = (before: string | undefined, reference: string): string =>
  before ? `${before}/${reference.slice(reference.lastIndexOf('/') + 1)}` : reference;

/** Returns the pinned reference, independent of the source on this machine. */
export const pinnedBase = (name: BaseName): string => pinned[name];

/** Returns the reference for use on another machine: the pinned one, or that of the mirror in `GUARD_BASE_PREFIX`. */
export const publicImage = (name: BaseName, env: Environment): string =>
  withPrefix(env.GUARD_BASE_PREFIX, pinned[name]);

/** Returns the reference of the image with another tag, such as that of another release. */
export const imageWithTag = (name: BaseName, tag: string, env: Environment): string =>
  publicImage(name, env).replace(/:[^:/]*$/, `:${tag}`);

/** Returns the reference for a Dockerfile, a compose file or a container on this machine. */
export const baseImage = (name: BaseName, env: Environment = process.env): string =>
  withPrefix(prefix(name, env), pinned[name]);
