/** Capabilities of this process: capabilities(7). */
import { readFileSync } from 'node:fs';

/** CAP_NET_ADMIN (linux/capability.h). */
const netAdmin = 12n;

/** Whether the process may change the firewall. False on systems other than Linux, which have no capabilities. */
export function mayChangeFirewall(): boolean {
  try {
    const [, effective = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return ((BigInt(`0x${effective}`) >> netAdmin) & 1n) === 1n;
  } catch {
    return false;
  }
}
