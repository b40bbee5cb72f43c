/** Follows bans and unbans of a daemon. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type DaemonClient, type DaemonEvent, Refusal, reasonOf } from '../daemon/client.ts';

const actions = ['banned', 'unbanned'] as const;

/** Milliseconds between two attempts to reach a daemon. */
const retryMs = 1000;

/** A ban or an unban, or why the daemon does not respond. */
export type BanProgress = { readonly event: DaemonEvent } | { readonly lost: string };

type Report = (progress: BanProgress) => void;

/** Resumes after the last event when the stream ends, as at a restart of the daemon. */
async function followAction(
  client: DaemonClient,
  action: (typeof actions)[number],
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  let isLost = false;
  const onEvent = (event: DaemonEvent) => report({ event });
  for (let lastId = ''; !signal.aborted; await sleep(retryMs, undefined, { signal }))
    try {
      lastId = await client.follow(lastId, onEvent, signal, action);
      isLost = false;
    } catch (error) {
      if (signal.aborted || error instanceof Refusal) throw error;
      if (!isLost && action === 'banned') report({ lost: reasonOf(error) });
      isLost = true;
    }
}

/** Reports bans and unbans until the signal is aborted. Rejects when the daemon refuses, or never responded. */
export async function followBans(client: DaemonClient, report: Report, signal: AbortSignal): Promise<void> {
  await client.bans(new URLSearchParams({ limit: '1' }), signal);
  await Promise.all(actions.map((action) => followAction(client, action, report, signal)));
}
