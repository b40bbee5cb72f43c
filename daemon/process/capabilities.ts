/** Capabilities of this process: capabilities(7). */
import { readFileSync } from 'node:fs';

/** Numbers (linux/capability.h). CAP_SYS_ADMIN includes CAP_BPF. */
const numbers = { CAP_NET_ADMIN: [12], CAP_BPF: [39, 21] } as const;
export type Capability = keyof typeof numbers;

/** Whether the process has the capability. Other systems than Linux have none. */
export function hasCapability(name: Capability): boolean {
  try {
    const [, effective = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return numbers[name].some((number) => ((BigInt(`0x${effective}`) >> BigInt(number)) & 1n) === 1n);
  } catch {
    return false;
  }
}
