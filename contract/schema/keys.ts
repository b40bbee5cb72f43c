/**
 * Spelling of keys: camelCase in guard.json, snake_case in the forms that the proxies read.
 * The rule has no exceptions; the specification's names (`gzip_bomb_mb`, `tarpit_delay_ms`, `site_key`) all follow it.
 */
import { isFields } from './problem.ts';

export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelCase(key: string): string {
  return key.replace(/(?<=[A-Za-z0-9])_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Keys of a policy whose value does not consist of our keys: header names, and the daemon's part, which is snake_case already. */
const opaque = new Set(['headers', 'tcp']);

/** A policy file with its keys in snake_case. */
export function snakeCaseKeys(file: unknown): unknown {
  if (Array.isArray(file)) return file.map(snakeCaseKeys);
  if (!isFields(file)) return file;
  const entries = Object.entries(file);
  return Object.fromEntries(
    entries.map(([key, value]) => [snakeCase(key), opaque.has(key) ? value : snakeCaseKeys(value)]),
  );
}
