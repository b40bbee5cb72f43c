/** `tcp-guard bans flush`: lifts all bans, also without a running daemon. */
import { existsSync, statSync } from 'node:fs';
import { Flushed } from '../../contract/api/records.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { createBans } from '../bans/index.ts';
import { UnreadableStore } from '../bans/store.ts';
import { flushTable } from '../kernel-bans/listed.ts';
import { NftIsAbsent } from '../kernel-bans/nft.ts';
import { mayChangeFirewall } from '../process/capabilities.ts';
import { postToApi } from './api-client.ts';

/**
 * Runs as the owner of a folder where this process may, so that the daemon can write the files of its store afterwards.
 * The work must not start other programs.
 */
async function asOwnerOf<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const { uid, gid } = statSync(folder);
  if (process.geteuid?.() !== 0) return work();
  process.setegid?.(gid);
  process.seteuid?.(uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

/** Lifts the bans of a store that no daemon uses. @throws Error */
async function flushStore(config: Daemon): Promise<number> {
  const { data_dir: dataDir } = config.global;
  const strict = { ...config, bans: { ...config.bans, on_error: 'refuse' as const } };
  const bans = await createBans({ config: strict, dataDir, now: Date.now });
  const { count, isDurable } = await bans.clear();
  if (!(await bans.close()) || !isDurable) throw new Error(`the bans in ${dataDir} could not be deleted`);
  return count;
}

/** Deletes the table of the firewall. Returns what was found. @throws Error */
async function flushFirewall(): Promise<string> {
  try {
    const hadTable = mayChangeFirewall() && (await flushTable());
    return `${hadTable ? 'deleted the table of' : 'found no table in'} the firewall`;
  } catch (error) {
    // A host without nft has no table, unless nft was removed after tcp-guard had used it.
    if (error instanceof NftIsAbsent) return 'found no nft that could have filled the firewall';
    throw error;
  }
}

/**
 * Lifts all bans through the API of a running daemon. Without one, deletes them from the store, and the table of the
 * firewall. Returns what to print. @throws Error
 */
export async function flushBans(config: Daemon): Promise<string> {
  const response = await postToApi(config, '/flush', Flushed).catch((error: Error) => error);
  if (response && !(response instanceof Error)) {
    const { body, error } = response;
    if (!body) throw new Error(error?.message);
    return `the daemon has lifted ${body.lifted} bans`;
  }
  const { data_dir } = config.global;
  const flushing = existsSync(data_dir) ? asOwnerOf(data_dir, () => flushStore(config)) : Promise.resolve(0);
  const count = await flushing.catch((error: Error) => {
    if (error instanceof UnreadableStore && response) throw new Error(`${response.message}; ${error.message}`);
    throw error;
  });
  return `lifted ${count} bans, and ${await flushFirewall()}`;
}
