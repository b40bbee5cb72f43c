/** Waits for the end of its standard input, then removes the items of a session, unless the input dismisses it. */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, diskFiles } from '../../../containers/connect.ts';
import { open } from '../../../containers/docker.ts';
import { removeSession } from './lifecycle.ts';
import { dismissMessage } from './reaper.ts';

/** The container runtime still completes requests of a killed client, so items can appear after the first round. */
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
if (session !== undefined && (await text(process.stdin)) !== dismissMessage) await reap(session);
