/**
 * Resolves names of upstreams. The system resolver uses few threads, which file access needs too. Concurrent requests for
 * one name share one lookup, so that a hanging name server blocks one thread and not all.
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Callback = Parameters<LookupFunction>[2];
type Lookup = (host: string, options: LookupOptions, callback: Callback) => void;

const keyOf = (host: string, { family = 0, hints = 0, all = false }: LookupOptions): string =>
  `${family} ${hints} ${all} ${host}`;

/** Caches nothing: a request after the result starts a new lookup. */
export function sharedLookup(lookup: Lookup): LookupFunction {
  const waiting = new Map<string, Callback[]>();
  return (host, options, callback) => {
    const key = keyOf(host, options);
    const others = waiting.get(key);
    if (others) return void others.push(callback);
    const all = [callback];
    waiting.set(key, all);
    lookup(host, options, (error, address: string | LookupAddress[], family) => {
      waiting.delete(key);
      for (const each of all) each(error, address, family);
    });
  };
}
