/** The unit of tcp-guard on a host: what it may do besides the defaults of the package. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

export const daemonUser = 'guard';
const unit = 'tcp-guard.service';
const dropIns = `/etc/systemd/system/${unit}.d`;
export const dropInFile = `${dropIns}/host.conf`;
export const dockerDropIn = `${dropIns}/docker.conf`;

/** The drop-in of the package. */
const packagedDropIn = '/usr/share/tcp-guard/host.conf';
const packagedDockerDropIn = '/usr/share/tcp-guard/docker.conf';

const groupsForm = /^SupplementaryGroups=(.*)$/m;

/** The groups of the drop-in that exist here: systemd refuses a unit with another one. */
export function daemonGroups(): string[] {
  const [, groups = ''] = groupsForm.exec(readFileSync(packagedDropIn, 'utf8')) ?? [];
  const existing = readFileSync('/etc/group', 'latin1');
  return groups.split(' ').filter((group) => new RegExp(`^${group}:`, 'm').test(existing));
}

/** @param readsDocker whether a source is in Docker's json-file. Without one the daemon gets no capability for it. */
export function writeDropIns(readsDocker: boolean): void {
  mkdirSync(dropIns, { recursive: true });
  if (readsDocker) copyFileSync(packagedDockerDropIn, dockerDropIn);
  else rmSync(dockerDropIn, { force: true });
  const text = readFileSync(packagedDropIn, 'utf8');
  writeFileSync(dropInFile, text.replace(groupsForm, `SupplementaryGroups=${daemonGroups().join(' ')}`), {
    mode: 0o644,
  });
}

/** Starts the daemon with the new files, now and after a boot. @throws Error when it does not become ready */
export async function restartService(): Promise<void> {
  for (const args of [['daemon-reload'], ['enable', unit], ['restart', unit]])
    await promisify(execFile)('systemctl', args);
}
