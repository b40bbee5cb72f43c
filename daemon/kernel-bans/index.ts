/**
 * Bans in the kernel: listed addresses cannot connect to the services, and this process spends nothing on them. User space enforces
 * the same lists on every connection that reaches it, so nothing depends on the kernel.
 */
import { type Choice, choose, type KernelBansMode } from './choice.ts';
import { Enforced } from './enforced.ts';
import type { KernelBans, KernelBansOptions, KernelBansState } from './kernel-bans.ts';

export type { Guarded, KernelBans, KernelBansState, ListedChange } from './kernel-bans.ts';

const inUserSpace = (reason: string): KernelBans => ({
  listed: () => {},
  onRestart: () => {},
  guard: () => {},
  state: () => ({ mechanism: 'user_space', reason, entries: 0, leftOut: 0, exceptions: [] }),
  close: async () => {},
});

/** The state of several processes that enforce the same lists. */
export function stateOf(states: readonly KernelBansState[]): KernelBansState {
  const [first] = states;
  if (!first) return inUserSpace('no worker has reported yet').state();
  const most = (field: 'entries' | 'leftOut') => Math.max(...states.map((state) => state[field]));
  return {
    ...(states.find(({ mechanism }) => mechanism === 'user_space') ?? first),
    entries: most('entries'),
    leftOut: most('leftOut'),
    exceptions: [...new Set(states.flatMap(({ exceptions }) => exceptions))],
  };
}

/** A mechanism that is configured by name and missing is a problem. `auto` uses what there is. */
export const kernelBansProblem = (mode: KernelBansMode, { mechanism, reason }: KernelBansState): string | undefined =>
  (mode === 'bpf' || mode === 'nft') && mechanism === 'user_space'
    ? `bans.kernel is ${mode}, and only the daemon refuses connections: ${reason}`
    : undefined;

function started(choice: Choice, options: KernelBansOptions): KernelBans {
  if (!('start' in choice)) return inUserSpace(choice.reason);
  try {
    return new Enforced(choice, options);
  } catch (error) {
    return inUserSpace((error as Error).message);
  }
}

export function createKernelBans(options: KernelBansOptions): KernelBans {
  const kernelBans = started(choose(options.mode), options);
  const problem = kernelBansProblem(options.mode, kernelBans.state());
  if (problem !== undefined) options.fault(problem);
  return kernelBans;
}
