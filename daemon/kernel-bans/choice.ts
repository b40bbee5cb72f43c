/** Which mechanism refuses connections. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { hasCapability } from '../process/capabilities.ts';
import { openLibc } from '../process/libc/open.ts';
import { bpfMechanism } from './bpf/index.ts';
import type { Mechanism } from './mechanism.ts';
import { nftMechanism } from './nft/index.ts';

export type KernelBansMode = Daemon['bans']['kernel'];

/** Without a mechanism, user space refuses. */
export type Choice = { readonly mechanism: Mechanism; readonly reason: string } | { readonly reason: string };

/** Node warns when node:ffi is loaded, so the capability is checked before. */
function bpf(): Choice {
  if (!hasCapability('CAP_BPF')) return { reason: 'the process has no CAP_BPF' };
  const opened = openLibc();
  if (!('libc' in opened)) return { reason: opened.missing };
  try {
    return { mechanism: bpfMechanism(opened.libc), reason: 'the process has CAP_BPF' };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

function nft(fault: (message: string) => void): Choice {
  if (!hasCapability('CAP_NET_ADMIN')) return { reason: 'the process has no CAP_NET_ADMIN' };
  try {
    return { mechanism: nftMechanism(fault), reason: 'bans.kernel is nft, and the process has CAP_NET_ADMIN' };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

const choices: Readonly<Record<KernelBansMode, (fault: (message: string) => void) => Choice>> = {
  off: () => ({ reason: 'bans.kernel is off' }),
  auto: bpf,
  bpf,
  nft,
};

/** `fault`: called when a mechanism fails later. */
export const choose = (mode: KernelBansMode, fault: (message: string) => void): Choice => choices[mode](fault);
