/**
 * Looks up names of upstreams. The system has few threads for that, which files need too: however many connections ask for
 * a name at once, it is looked up once, so that a name service that hangs holds up one thread and not all.
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Callback = Parameters<LookupFunction>[2];
type Lookup = (host: string, options: LookupOptions, callback: Callback) => void;

const keyOf = (host: string, { family = 0, hints = 0, all = false }: LookupOptions): string =>
  `${family} ${hints} ${all} ${host}`;

/** Nothing is remembered: whoever asks after an answer asks anew. */
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
