/** Converts names of keys between camelCase, as in guard.json, and snake_case, as in the configuration of proxies. */

export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelCase(key: string): string {
  return key.replace(/(?<=[A-Za-z0-9])_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Keys of a policy whose value stays unchanged: header names are not keys, and the daemon's part is already in
 * snake_case.
 */
const unchangedKeys = new Set(['headers', 'tcp']);

export function snakeCaseKeys(file: unknown): unknown {
  if (Array.isArray(file)) return file.map(snakeCaseKeys);
  if (typeof file !== 'object' || file === null) return file;
  const entries = Object.entries(file);
  return Object.fromEntries(
    entries.map(([key, value]) => [snakeCase(key), unchangedKeys.has(key) ? value : snakeCaseKeys(value)]),
  );
}
