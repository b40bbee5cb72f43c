/** Refuses connections with a table of nftables, which ends with its nft process. Needs CAP_NET_ADMIN. */
import { randomInt } from 'node:crypto';
import { type GuardedListener, listNames, type Mechanism } from '../mechanism.ts';
import { NftCounters } from './counters.ts';
import { NftLists } from './lists.ts';
import { check, NftProcess } from './process.ts';
import { Ruleset } from './ruleset.ts';

/** Daemons in several containers can have the same pid, and share the tables of the host's network. */
const newRuleset = (): Ruleset => new Ruleset(`tcp_guard_${process.pid}_${randomInt(2 ** 32)}`);

/** Why nft cannot be used: it is missing, or the kernel refuses the table. */
export function nftProblem(): string | undefined {
  const ruleset = newRuleset();
  const lengths = listNames.flatMap((list) => ruleset.addLength(list, { family: 4, length: 24 }));
  return check([...ruleset.create(), ...lengths]);
}

/** @throws Error when nft cannot be started */
export function nftMechanism(failed: (why: string) => void): Mechanism {
  const ruleset = newRuleset();
  const nft = new NftProcess(failed);
  nft.run(...ruleset.create());
  const { add, remove } = new NftLists(nft, ruleset);
  const counters = new NftCounters(nft, ruleset);
  let listeners: readonly GuardedListener[] = [];
  const read = () => counters.read(listeners);
  return {
    name: 'nft',
    add,
    remove,
    guard: (guarded) => {
      nft.run(ruleset.services(guarded));
      listeners = guarded;
      return new Map();
    },
    read,
    close: async () => {
      const last = await read().catch(() => []);
      await nft.close();
      return last;
    },
  };
}
