/**
 * Compose tools in the order in which they are tried. A new tool is a new row. The compose file of the stack uses
 * only what all of them support.
 */

export type Version = readonly [major: number, minor: number, patch: number];

export interface Tool {
  /** The command as a user types it. */
  readonly name: string;
  readonly program: string;
  /** Words between the program and the arguments of compose. */
  readonly prefix: readonly string[];
  /** The oldest version whose compose file, JSON and volumes are those that this program uses. */
  readonly oldest: Version;
  /** Arguments of `ps` for every container of the project, also ended ones, in JSON. */
  readonly listing: readonly string[];
}

const docker = { oldest: [2, 3, 3], listing: ['ps', '--all', '--format', 'json'] } as const;
const podman = { oldest: [1, 1, 0], listing: ['ps', '--format', 'json'] } as const;

export const tools = [
  { name: 'docker compose', program: 'docker', prefix: ['compose'], ...docker },
  { name: 'docker-compose', program: 'docker-compose', prefix: [], ...docker },
  { name: 'podman-compose', program: 'podman-compose', prefix: [], ...podman },
  { name: 'podman compose', program: 'podman', prefix: ['compose'], ...docker }, // runs one of the others, and reports its version
] as const satisfies readonly Tool[];

export const versionArguments = ['version', '--short'] as const;

/**
 * Returns the version on the last line of the output, because `podman compose` first prints which tool it runs.
 * Returns undefined for a build without a version.
 */
export function parseVersion(output: string): Version | undefined {
  const [, major, minor, patch = '0'] = /v?(\d+)\.(\d+)(?:\.(\d+))?[^\n]*\s*$/.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

export function isOlder(version: Version, than: Version): boolean {
  const index = version.findIndex((part, position) => part !== than[position]);
  return index >= 0 && (version[index] as number) < (than[index] as number);
}
