/**
 * The compose tools, in the order in which they are tried. The compose file of the stack uses only what all of them
 * support.
 */

export type Version = readonly [major: number, minor: number, patch: number];

export interface Tool {
  /** The command as a user types it. */
  readonly name: string;
  readonly program: string;
  /** Words between the program and the arguments of compose. */
  readonly prefix: readonly string[];
  /** The oldest version that supports the compose file, JSON and volumes of the stack. */
  readonly oldest: Version;
  /** Arguments that list every container in JSON, also ended ones. */
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
 * Reads the last line, because `podman compose` first prints the tool that it runs. Returns undefined without a
 * version.
 */
export function parseVersion(output: string): Version | undefined {
  const [, major, minor, patch = '0'] = /v?(\d+)\.(\d+)(?:\.(\d+))?[^\n]*\s*$/.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

export function isOlder(version: Version, than: Version): boolean {
  const index = version.findIndex((part, position) => part !== than[position]);
  return index >= 0 && (version[index] as number) < (than[index] as number);
}
