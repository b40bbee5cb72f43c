/**
 * Looks up names of upstreams. The system has few threads for that, which files need too: however many connections ask for
 * a name at once, it is looked up once, so that a name service that hangs holds up one thread and not all.
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Told = Parameters<LookupFunction>[2];
type Ask = (host: string, options: LookupOptions, told: Told) => void;

const keyOf = (host: string, { family = 0, hints = 0, all = false }: LookupOptions): string =>
  `${family} ${hints} ${all} ${host}`;

/** Nothing is remembered: whoever asks after an answer asks anew. */
export function sharedLookup(ask: Ask): LookupFunction {
  const waiting = new Map<string, Told[]>();
  return (host, options, told) => {
    const key = keyOf(host, options);
    const others = waiting.get(key);
    if (others) return void others.push(told);
    const all = [told];
    waiting.set(key, all);
    ask(host, options, (error, address: string | LookupAddress[], family) => {
      waiting.delete(key);
      for (const tell of all) tell(error, address, family);
    });
  };
}
