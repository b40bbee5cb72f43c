/** Files of this machine that a configuration of tcp-guard names: the container gets copies of them. */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { loadPolicy } from '../../contract/load/policy.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { type CountryOf, readDatabase } from '../../daemon/geo/database.ts';
import { packageRoot } from '../../platform/assets.ts';
import { ConfigError } from '../../platform/errors.ts';
import { readSource, stdinName } from '../input/source.ts';
import type { Context } from '../program/context.ts';

export interface MountedPolicy {
  readonly text: string;
  readonly policy: Policy;
}

export interface Database {
  readonly bytes: Uint8Array;
  readonly countryOf: CountryOf;
  /** The file that is not here, and which takes its place. */
  readonly insteadOf?: string;
}

export interface MountedFiles {
  /** By the path that the configuration has. */
  readonly policies: ReadonlyMap<string, MountedPolicy>;
  /** Absent: the configuration names none; a text: why it stays here. */
  readonly database?: Database | string;
}

/** The tmpfs of the configuration has 16 MiB. Databases of countries have 4 to 10. */
const largestDatabase = 12 * 1024 * 1024;

/** The one that the tests of a clone use. */
function ownDatabase(): string | undefined {
  try {
    const { resolve: find } = createRequire(join(packageRoot, 'package.json'));
    return find('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb');
  } catch {
    return undefined;
  }
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

async function openDatabase(path: string): Promise<Database | string> {
  const { size } = statSync(path);
  if (size > largestDatabase) return `it has ${size} bytes, more than ${largestDatabase}`;
  const bytes = await readFile(path);
  try {
    return { bytes, countryOf: readDatabase(bytes, () => {}) };
  } catch (error) {
    return (error as Error).message;
  }
}

async function database(named: string, cwd: string): Promise<Database | string> {
  const path = resolve(cwd, named);
  if (isThere(path)) return openDatabase(path);
  const own = ownDatabase();
  if (own === undefined) return 'there is no such file on this machine';
  const opened = await openDatabase(own);
  return typeof opened === 'string' ? opened : { ...opened, insteadOf: named };
}

async function policyAt(path: string, context: Context): Promise<MountedPolicy> {
  const { name, bytes } = await readSource(path, context);
  const loaded = loadPolicy(bytes, name);
  if (!loaded.ok) throw new ConfigError(loaded);
  return { text: Buffer.from(bytes).toString('utf8'), policy: loaded.value };
}

/**
 * Reads what the daemon would. As there, paths of policies are relative to the configuration, called `name` here.
 * @throws UsageError, ConfigError where a policy is absent or not valid: the daemon would not start
 */
export async function readMountedFiles(
  { services, global }: Daemon,
  name: string,
  context: Context,
): Promise<MountedFiles> {
  const folder = name === stdinName ? context.cwd : dirname(resolve(context.cwd, name));
  const policies = new Map<string, MountedPolicy>();
  for (const { http, enabled } of Object.values(services))
    if (enabled && http?.policy !== undefined && !policies.has(http.policy))
      policies.set(http.policy, await policyAt(resolve(folder, http.policy), context));
  return { policies, ...(global.geoip_db !== '' && { database: await database(global.geoip_db, context.cwd) }) };
}
