/** The end of the daemon: its connections first, then its components. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Api } from '../api/index.ts';
import { inTime } from '../time/timer.ts';
import type { Component } from './component.ts';
import type { Components } from './wiring.ts';

const cutEveryMs = 50;

export const endedInTime = (work: Promise<boolean>): Promise<boolean> =>
  inTime(work, daemonBounds.closeMs, () => false);

/** Cuts the connections that are still open after `ms`, and connections that open later. */
export async function drain({ connections }: Components, ms: number): Promise<void> {
  let cutting: NodeJS.Timeout | undefined;
  const waiting = setTimeout(() => {
    connections.cutAll('shutdown');
    cutting = setInterval(() => connections.cutAll('shutdown'), cutEveryMs);
  }, ms);
  await connections.untilEmpty();
  clearTimeout(waiting);
  clearInterval(cutting);
}

/** Closes all components. Resolves with false when the ban store was not closed. */
export async function release(components: Components, api: Component<Api>): Promise<boolean> {
  const { geo, intake, feed, lists, push, bans, audit, kernelBans, publish } = components;
  geo.close();
  const restartable = [api, feed, push, intake, lists, publish];
  await Promise.all([...restartable.map((component) => component.close()), kernelBans.close()]);
  const isClosed = await bans.close();
  await audit.close();
  return isClosed;
}
