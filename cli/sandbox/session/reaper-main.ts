/**
 * The program of the reaper: waits for the end of its standard input, then removes the remaining items of a session.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, diskFiles } from '../runtime/connect.ts';
import { open } from '../runtime/docker.ts';
import { removeSession } from './lifecycle.ts';
import { allClear } from './reaper.ts';

/**
 * The removal is repeated for 3 s. The container runtime still completes requests of a killed client, so networks and
 * containers can appear after the first round.
 */
const rounds = 15;
const roundMs = 200;

async function reap(session: string): Promise<void> {
  const containers = await connect(process.env, diskFiles, open);
  for (let round = 0; round < rounds; round++) {
    await removeSession(containers, session).catch(() => {}); // the next round may find a network no longer in use
    await sleep(roundMs);
  }
}

const [session] = process.argv.slice(2);
if (session !== undefined && (await text(process.stdin)) !== allClear) await reap(session);
