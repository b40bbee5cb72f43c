/** The files that `tcp-guard init host` writes to /etc/guard. */
import { chmodSync, chownSync, type Stats, writeFileSync } from 'node:fs';
import { startingText } from '../../contract/policy/starting.ts';
import { replaceFileSync } from '../../platform/regular-file.ts';
import type { FoundSource } from './sources.ts';

export const hostConfiguration = '/etc/guard/tcp-guard.yaml';
export const hostPolicy = '/etc/guard/guard.json';
/** The file of the package, which its script copies to `hostConfiguration`. */
export const packagedConfiguration = '/usr/share/tcp-guard/tcp-guard.yaml';

/** The policy of access logs: the built-in rules for requests of scanners, which also use HEAD and POST. */
export const policyText = `{\n${startingText}\n}\n`;

/** Replaces a file, so that a daemon never reads a part of it. The owner and the mode are those of `like`. */
export function writeLike(path: string, text: string, like: Pick<Stats, 'uid' | 'gid' | 'mode'>): void {
  replaceFileSync(path, (unfinished) => {
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx', flush: true });
    chownSync(unfinished, like.uid, like.gid);
    chmodSync(unfinished, like.mode & 0o777);
  });
}

/** JSON strings are double-quoted strings of YAML. */
const quoted = (text: string): string => JSON.stringify(text);

function sourceText({ format, unit, file, container, title, unless }: FoundSource): string[] {
  const [key, value] = Object.entries({ file, unit, container }).find(([, one]) => one !== undefined) ?? ['file', ''];
  const policy = format === 'access' ? `, policy: ${quoted(hostPolicy)}` : '';
  const row = `- {${key}: ${quoted(value ?? '')}, format: ${format}${policy}}`;
  return unless === undefined ? [`  # ${title}`, `  ${row}`] : [`  # ${title}, ${unless}:`, `  # ${row}`];
}

interface HostFile {
  readonly sources: readonly FoundSource[];
  /** Connected to the SSH server now. */
  readonly sshClients: readonly string[];
}

/** The text of tcp-guard.yaml. */
export function configurationText({ sources, sshClients }: HostFile): string {
  const isActive = sources.some(({ unless }) => unless === undefined);
  return `${[
    '# Written by `tcp-guard init host`. Its keys: man tcp-guard, and docs/tcp-guard.md of the project.',
    'version: 1',
    'global:',
    '  # Addresses that are never banned. Those of this host, its gateways and its resolvers are added.',
    '  # Add the address from which you administer the host.',
    ...(sshClients.length > 0 ? [`  # Connected by SSH when this file was written: ${sshClients.join(', ')}`] : []),
    '  never_ban: ["127.0.0.0/8", "::1/128"]',
    'bans:',
    '  # detect: bans for failures are only listed. `tcp-guard enforce` changes it to enforce.',
    '  mode: detect',
    '  # Every port of the host and of its containers.',
    '  scope: host',
    isActive ? 'intake:' : 'intake: []',
    ...sources.flatMap(sourceText),
  ].join('\n')}\n`;
}
