/** Base images: pinned by name in bases.json, taken from a mirror or from our own equivalents when a prefix says so. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../platform/cache.ts';
import pinned from './bases.json' with { type: 'json' };

export type BaseName = keyof typeof pinned;

/** Where bootstrap puts images that it made itself because no image registry answers. */
export const seededPrefix = 'localhost/guard-base';

type Environment = Readonly<Record<string, string | undefined>>;

const decisionFile = (env: Environment): string => join(cacheFolder(env), 'registry.json');

/** What the one try on this machine found; undefined when there was none yet. */
export function registryAnswers(env: Environment = process.env): boolean | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(decisionFile(env), 'utf8'));
    return (kept as { answers?: unknown }).answers === true;
  } catch {
    return undefined;
  }
}

/** Keeps the finding for good; removing the file asks for another try. Returns the file. */
export function keepRegistryAnswer(answers: boolean, env: Environment = process.env): string {
  const file = decisionFile(env);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify({ answers })}\n`);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

/** `GUARD_BASE_PREFIX` (a company's mirror), or our own images where no registry answers, or nothing. */
function prefix(env: Environment): string | undefined {
  return env.GUARD_BASE_PREFIX || (registryAnswers(env) === false ? seededPrefix : undefined);
}

/** The reference without regard to where this machine takes it from. */
export const pinnedBase = (name: BaseName): string => pinned[name];

/** The reference to use in a Dockerfile, in a compose file or for a container. */
export function baseImage(name: BaseName, env: Environment = process.env): string {
  const reference = pinned[name];
  const before = prefix(env);
  return before === undefined ? reference : `${before}/${reference.slice(reference.lastIndexOf('/') + 1)}`;
}
