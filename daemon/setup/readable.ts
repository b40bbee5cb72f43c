/** Finds sources that the user of the daemon cannot read, and what lets it read them over a rotation too. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { daemonGroups, daemonUser, dropInFile } from './service.ts';
import type { FoundSource } from './sources.ts';

const succeeds = (program: string, ...args: readonly string[]): Promise<boolean> =>
  promisify(execFile)(program, [...args]).then(
    () => true,
    () => false,
  );

/** Whether the daemon can do with a path what `test` checks, such as `-r`. Includes its groups and ACLs. */
const mayUse = (check: string, path: string): Promise<boolean> => {
  const user = [`--reuid=${daemonUser}`, `--regid=${daemonUser}`, `--groups=${[daemonUser, ...daemonGroups()].join()}`];
  return succeeds('setpriv', ...user, '--inh-caps=-all', 'test', check, path);
};

const groupRead = 0o040;

async function groupOf(path: string): Promise<{ readonly group: string; readonly isReadByGroup: boolean }> {
  const { gid, mode } = statSync(path);
  const { stdout } = await promisify(execFile)('getent', ['group', `${gid}`]).catch(() => ({ stdout: '' }));
  return { group: stdout.split(':')[0] || `${gid}`, isReadByGroup: (mode & groupRead) !== 0 };
}

/** The setting that lets the daemon read a file of this group. The group root would let it read more than logs. */
export const groupFix = (group: string): string | undefined =>
  group === 'root' ? undefined : `add SupplementaryGroups=${group} to ${dropInFile}`;

async function fixOf({ fix, file = '' }: FoundSource): Promise<string> {
  if (!(await mayUse('-x', dirname(file))))
    return `${fix ?? 'its program closes the folder to others'}; for the folder: setfacl -m u:${daemonUser}:x ${dirname(file)}`;
  const { group, isReadByGroup } = await groupOf(file);
  return (
    (isReadByGroup ? groupFix(group) : undefined) ??
    fix ??
    `change the mode with which its program or logrotate makes the file (create 0640 root adm)`
  );
}

/** A sentence for each file that the daemon cannot read. */
export async function unreadableSources(sources: readonly FoundSource[]): Promise<string[]> {
  const problems: string[] = [];
  for (const source of sources) {
    const { file, unless } = source;
    if (file === undefined || unless !== undefined || (await mayUse('-r', file))) continue;
    problems.push(`${file} is not readable for the user ${daemonUser}: ${await fixOf(source)}`);
  }
  return problems;
}
