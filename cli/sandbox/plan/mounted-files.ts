/** Reads the local files that a tcp-guard configuration names, for copies in the container. */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { expandReferences } from '../../../contract/daemon/environment.ts';
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { loadPolicy } from '../../../contract/load/policy.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { type CountryOf, readDatabase } from '../../../daemon/geo/database.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { ConfigError, UsageError } from '../../../platform/errors.ts';
import { checkNamedFile } from '../../input/named-file.ts';
import { readSource, stdinName } from '../../input/source.ts';
import { statOf } from '../../input/stat.ts';
import type { Context } from '../../program/context.ts';
import { type Passed, unfitVariable } from './variables.ts';

interface MountedPolicy {
  readonly text: string;
  readonly policy: Policy;
}

interface Database {
  readonly bytes: Uint8Array;
  readonly countryOf: CountryOf;
  /** The path in the configuration, when this database replaces a missing file. */
  readonly insteadOf?: string;
}

export interface MountedFiles {
  /** By path in the configuration. */
  readonly policies: ReadonlyMap<string, MountedPolicy>;
  /** A text says why the database is not copied. Absent when the configuration names none. */
  readonly database?: Database | string;
}

/** The tmpfs for the configuration has 16 MiB. Country databases have 4 to 10 MiB. */
const largestDatabase = 12 * 1024 * 1024;

/** Finds the database of the tests. Only a clone has this development dependency. */
function testDatabase(): string | undefined {
  try {
    const { resolve: find } = createRequire(join(packageRoot, 'package.json'));
    return find('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb');
  } catch {
    return undefined;
  }
}

const isFile = (path: string): boolean => statOf(path)?.isFile() === true;

async function openDatabase(path: string): Promise<Database | string> {
  const { size } = statSync(path);
  if (size > largestDatabase) return `it has ${size} bytes, the limit is ${largestDatabase}`;
  const bytes = await readFile(path);
  try {
    return { bytes, countryOf: await readDatabase(bytes) };
  } catch {
    return 'it is not a database of countries'; // the message of the reader contains bytes of the file
  }
}

async function findDatabase(named: string, cwd: string): Promise<Database | string> {
  const path = resolve(cwd, named);
  if (isFile(path)) return openDatabase(path);
  const replacement = testDatabase();
  if (replacement === undefined) return 'no such file on this machine';
  const opened = await openDatabase(replacement);
  return typeof opened === 'string' ? opened : { ...opened, insteadOf: named };
}

/** Replaces variables in a path. @throws UsageError when `--env` does not pass one: a made-up value is not a path */
function expandedPath(text: string, key: string, passed: Passed): string {
  const { value, unset } = expandReferences(text, passed);
  if (unset.length > 0) throw unfitVariable(text, key, passed);
  return value as string;
}

/**
 * Reads a policy.
 * @param written the path in the configuration. Errors show it instead of `path`, which contains values of variables
 */
async function policyAt(written: string, path: string, context: Context): Promise<MountedPolicy> {
  const { bytes } = await readSource(path, context).catch((error: UsageError) => {
    const { code, hint } = error;
    const message = error.message.replaceAll(path, written);
    throw new UsageError(message, { code, ...(hint !== undefined && { hint }) });
  });
  const loaded = loadPolicy(bytes, written);
  if (!loaded.ok) throw new ConfigError(loaded);
  return { text: Buffer.from(bytes).toString('utf8'), policy: loaded.value };
}

/**
 * Reads the files that the configuration names. As in the daemon, paths of policies are relative to the configuration.
 * They must be below its folder or the working directory.
 * @throws UsageError, or ConfigError for an invalid policy
 */
export async function readMountedFiles(
  { services, global: { geoip_db } }: Daemon,
  name: string,
  passed: Passed,
  context: Context,
): Promise<MountedFiles> {
  const { cwd } = context;
  const folder = name === stdinName ? cwd : dirname(resolve(cwd, name));
  const policies = new Map<string, MountedPolicy>();
  for (const [service, { http, enabled }] of Object.entries(services)) {
    if (!enabled || http?.policy === undefined || policies.has(http.policy)) continue;
    const path = resolve(folder, expandedPath(http.policy, `services.${service}.http.policy`, passed));
    checkNamedFile(path, http.policy, [cwd, folder]);
    policies.set(http.policy, await policyAt(http.policy, path, context));
  }
  if (geoip_db === '') return { policies };
  return { policies, database: await findDatabase(expandedPath(geoip_db, 'global.geoip_db', passed), cwd) };
}
