/**
 * Bans in the kernel: it drops the first packet of each connection from a banned address. The gates enforce the same
 * lists in this process.
 */
import { mayUseBpf } from '../process/capabilities.ts';
import { openLibc } from '../process/libc/open.ts';
import { startBpfMechanism } from './bpf/index.ts';
import { Enforced } from './enforced.ts';
import type { KernelBans, KernelBansMode, KernelBansOptions, KernelBansState } from './kernel-bans.ts';

export type { Guarded, KernelBans, KernelBansMode, KernelBansState, ListedChange } from './kernel-bans.ts';

const inUserSpace = (reason: string): KernelBans => ({
  listed: () => {},
  onRestart: () => {},
  guard: () => {},
  state: () => ({ mechanism: 'user_space', reason, entries: 0, leftOut: 0, exceptions: [] }),
  close: async () => {},
});

/** Combines the states of several processes that enforce the same lists. */
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

/** Returns a problem when the mode is `bpf` and the kernel does not enforce bans. With `auto` that is not a problem. */
export const kernelBansProblem = (mode: KernelBansMode, { mechanism, reason }: KernelBansState): string | undefined =>
  mode === 'bpf' && mechanism === 'user_space'
    ? `bans.kernel is bpf, and only the daemon refuses connections: ${reason}`
    : undefined;

function startMechanism(options: KernelBansOptions): KernelBans {
  if (options.mode === 'off') return inUserSpace('bans.kernel is off');
  // Check this before openLibc, which loads node:ffi: that module is experimental, and bans would have no use for it.
  if (!mayUseBpf()) return inUserSpace('the process has no CAP_BPF');
  const opened = openLibc();
  if ('missing' in opened) return inUserSpace(opened.missing);
  try {
    return new Enforced((failed) => startBpfMechanism(opened.libc, failed), options);
  } catch (error) {
    return inUserSpace((error as Error).message);
  }
}

export function createKernelBans(options: KernelBansOptions): KernelBans {
  const kernelBans = startMechanism(options);
  const problem = kernelBansProblem(options.mode, kernelBans.state());
  if (problem !== undefined) options.fault(problem);
  return kernelBans;
}
