/** The unit of tcp-guard on a host: what it may do besides the defaults of the package. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

export const daemonUser = 'guard';
const unit = 'tcp-guard.service';
export const dropInFile = `/etc/systemd/system/${unit}.d/host.conf`;

/** Groups that read logs: adm those of Debian's packages. systemd refuses a unit with a group that does not exist. */
const logGroups = ['adm', 'systemd-journal'];

export function daemonGroups(): string[] {
  const existing = readFileSync('/etc/group', 'latin1');
  return logGroups.filter((group) => new RegExp(`^${group}:`, 'm').test(existing));
}

const dropInText = (): string => `# Written by \`tcp-guard init host\`.
[Service]
SupplementaryGroups=${daemonGroups().join(' ')}
# journalctl reads the id of the boot in /proc.
ProcSubset=all
# nft changes the firewall.
AmbientCapabilities=CAP_NET_ADMIN
CapabilityBoundingSet=CAP_NET_ADMIN
`;

export function writeDropIn(): void {
  mkdirSync(dirname(dropInFile), { recursive: true });
  writeFileSync(dropInFile, dropInText(), { mode: 0o644 });
}

/** Starts the daemon with the new files, now and after a boot. @throws Error when it does not become ready */
export async function restartService(): Promise<void> {
  for (const args of [['daemon-reload'], ['enable', unit], ['restart', unit]])
    await promisify(execFile)('systemctl', args);
}
