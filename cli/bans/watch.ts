/** Follows bans and unbans of a daemon. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type DaemonClient, type DaemonEvent, Refusal, reasonOf } from '../daemon/client.ts';

const actions = ['banned', 'unbanned', 'detected'] as const;

/** Milliseconds between two attempts to reach a daemon. */
const retryMs = 1000;

/** A ban or an unban, or why the daemon does not respond. */
export type BanProgress = { readonly event: DaemonEvent } | { readonly lost: string };

type Report = (progress: BanProgress) => void;

/**
 * Reports the events of one action. When the stream ends, for example because the daemon restarts, a new one begins
 * after the last event.
 */
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

/**
 * Reports bans and unbans, and never resolves. Rejects when the first request fails, when the daemon refuses a later
 * one, or when the signal is aborted.
 */
export async function followBans(client: DaemonClient, report: Report, signal: AbortSignal): Promise<void> {
  await client.bans(new URLSearchParams({ limit: '1' }), signal);
  await Promise.all(actions.map((action) => followAction(client, action, report, signal)));
}
