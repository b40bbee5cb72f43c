/** Local files that a tcp-guard configuration names. The container gets copies of them. */
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
import { statOf } from '../input/stat.ts';
import type { Context } from '../program/context.ts';

interface MountedPolicy {
  readonly text: string;
  readonly policy: Policy;
}

interface Database {
  readonly bytes: Uint8Array;
  readonly countryOf: CountryOf;
  /** The missing file and its replacement. */
  readonly insteadOf?: string;
}

export interface MountedFiles {
  /** By the path in the configuration. */
  readonly policies: ReadonlyMap<string, MountedPolicy>;
  /** Absent: the configuration names none. A text: why it is not copied. */
  readonly database?: Database | string;
}

/** The tmpfs for the configuration has 16 MiB. Country databases have 4 to 10. */
const largestDatabase = 12 * 1024 * 1024;

/** The database for the tests of a clone. */
function ownDatabase(): string | undefined {
  try {
    const { resolve: find } = createRequire(join(packageRoot, 'package.json'));
    return find('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb');
  } catch {
    return undefined;
  }
}

const isThere = (path: string): boolean => statOf(path)?.isFile() === true;

async function openDatabase(path: string): Promise<Database | string> {
  const { size } = statSync(path);
  if (size > largestDatabase) return `it has ${size} bytes, the limit is ${largestDatabase}`;
  const bytes = await readFile(path);
  try {
    return { bytes, countryOf: await readDatabase(bytes) };
  } catch (error) {
    return (error as Error).message;
  }
}

async function database(named: string, cwd: string): Promise<Database | string> {
  const path = resolve(cwd, named);
  if (isThere(path)) return openDatabase(path);
  const own = ownDatabase();
  if (own === undefined) return 'no such file on this machine';
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
 * Reads the files that the daemon would read. As in the daemon, paths of policies are relative to the configuration
 * `name`.
 * @throws UsageError, ConfigError for a missing or invalid policy, with which the daemon would not start
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
