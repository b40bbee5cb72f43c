/** Installing a server without its service. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Debian asks this program before it starts a service that was installed; 101: it may not. */
const policy = '/usr/sbin/policy-rc.d';

/** Nobody asked for a web server on port 80: what is installed meanwhile is not started. */
export async function withoutStarting(install: () => Promise<void>): Promise<void> {
  if (existsSync(policy)) return install();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await install();
  } finally {
    rmSync(policy);
  }
}
