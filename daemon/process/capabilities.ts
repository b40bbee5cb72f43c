/** Capabilities of this process: capabilities(7). */
import { readFileSync } from 'node:fs';

/** The numbers of CAP_BPF, and of CAP_SYS_ADMIN, which includes it (linux/capability.h). */
const capabilityNumbers = [39n, 21n];

/** Whether the process may use BPF. False on systems other than Linux, which have no capabilities. */
export function mayUseBpf(): boolean {
  try {
    const [, effective = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return capabilityNumbers.some((number) => ((BigInt(`0x${effective}`) >> number) & 1n) === 1n);
  } catch {
    return false;
  }
}
