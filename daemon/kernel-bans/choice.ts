/** Which mechanism refuses connections. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { hasCapability } from '../process/capabilities.ts';
import { openLibc } from '../process/libc/open.ts';
import { bpfMechanism } from './bpf/index.ts';
import type { StartMechanism } from './mechanism.ts';
import { nftMechanism, nftProblem } from './nft/index.ts';

export type KernelBansMode = Daemon['bans']['kernel'];

/** Without a mechanism, user space refuses. */
export type Choice = { readonly start: StartMechanism; readonly reason: string } | { readonly reason: string };

/** Node warns when node:ffi is loaded, so the capability is checked before. */
function bpf(): Choice {
  if (!hasCapability('CAP_BPF')) return { reason: 'the process has no CAP_BPF' };
  const opened = openLibc();
  if (!('libc' in opened)) return { reason: opened.missing };
  return { start: (failed) => bpfMechanism(opened.libc, failed), reason: 'the process has CAP_BPF' };
}

function nft(): Choice {
  if (!hasCapability('CAP_NET_ADMIN')) return { reason: 'the process has no CAP_NET_ADMIN' };
  const problem = nftProblem();
  if (problem !== undefined) return { reason: problem };
  return { start: nftMechanism, reason: 'bans.kernel is nft, and the process has CAP_NET_ADMIN' };
}

const choices: Readonly<Record<KernelBansMode, () => Choice>> = {
  off: () => ({ reason: 'bans.kernel is off' }),
  auto: bpf,
  bpf,
  nft,
};

export const choose = (mode: KernelBansMode): Choice => choices[mode]();
