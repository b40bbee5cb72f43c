/**
 * Compose tools in the order of trying. A new tool is a new row. The compose file of the stack avoids what one of them
 * lacks.
 */

export type Version = readonly [major: number, minor: number, patch: number];

export interface Tool {
  /** As a user types it. */
  readonly name: string;
  readonly program: string;
  /** Words between the program and the arguments of compose. */
  readonly prefix: readonly string[];
  /** The oldest version whose compose file, JSON and volumes are those that this program uses. */
  readonly oldest: Version;
  /** Arguments of `ps` for every container of the project, also ended ones, in JSON. */
  readonly listing: readonly string[];
  /** Its `pull` ends with 0 whatever happened: only `up` reports an image that cannot be pulled. */
  readonly hidesFailedPulls?: true;
}

const docker = { oldest: [2, 3, 3], listing: ['ps', '--all', '--format', 'json'] } as const;
/** `podman compose` runs one of the others, and reports the version of that one. */
const podman = { oldest: [1, 1, 0], listing: ['ps', '--format', 'json'], hidesFailedPulls: true } as const;

export const tools = [
  { name: 'docker compose', program: 'docker', prefix: ['compose'], ...docker },
  { name: 'docker-compose', program: 'docker-compose', prefix: [], ...docker },
  { name: 'podman-compose', program: 'podman-compose', prefix: [], ...podman },
  { name: 'podman compose', program: 'podman', prefix: ['compose'], ...docker },
] as const satisfies readonly Tool[];

export const versionArguments = ['version', '--short'] as const;

/**
 * The version on the last line of the output: `podman compose` names the tool that it runs before. Undefined: a build
 * without a version.
 */
export function parseVersion(output: string): Version | undefined {
  const [, major, minor, patch = '0'] = /v?(\d+)\.(\d+)(?:\.(\d+))?[^\n]*\s*$/.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

export function isOlder(version: Version, than: Version): boolean {
  const index = version.findIndex((part, position) => part !== than[position]);
  return index >= 0 && (version[index] as number) < (than[index] as number);
}
