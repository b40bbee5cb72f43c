/** The reaper's program: waits for the end of its standard input, then removes what is left of a session. */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, diskFiles } from './connect.ts';
import { open } from './docker.ts';
import { removeSession } from './lifecycle.ts';
import { allClear } from './reaper.ts';

/** The container runtime goes on with what it was asked for before the asker died: a network can still appear, or a container. */
const rounds = 15;
const roundMs = 200;

async function reap(session: string): Promise<void> {
  const containers = await connect(process.env, diskFiles, open);
  for (let round = 0; round < rounds; round++) {
    await removeSession(containers, session).catch(() => {}); // a network in use now is free in the next round
    await sleep(roundMs);
  }
}

const [session] = process.argv.slice(2);
if (session !== undefined && (await text(process.stdin)) !== allClear) await reap(session);
