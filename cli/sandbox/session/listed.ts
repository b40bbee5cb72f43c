/** Sandboxes, found by the labels of their containers. */

import type { Item } from '../../../containers/containers.ts';
import { detachedLabel, sandboxLabel, targetLabel } from '../../../containers/labels.ts';
import { type Target, type TargetName, targets } from '../../targets/table.ts';

export interface ListedSandbox {
  readonly id: string;
  /** Name of the container. */
  readonly name: string;
  readonly session: string;
  readonly target: TargetName;
  readonly title: string;
  /** Undefined when the sandbox publishes none. */
  readonly port: number | undefined;
  readonly isRunning: boolean;
  /** True when the sandbox outlives its command. */
  readonly isDetached: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

function sandboxOf(item: Item): ListedSandbox | undefined {
  const { id, name, ports = [], created = 0, isRunning = false, labels = {} } = item;
  const [port] = ports;
  const target: Target | undefined = targets.find((one) => one.name === (labels[targetLabel] as TargetName));
  const session = labels[sandboxLabel];
  if (!target || session === undefined) return undefined;
  const isDetached = labels[detachedLabel] !== undefined;
  const of = { id, name, session, target: target.name, title: target.title };
  return { ...of, port, isRunning, isDetached, startedAt: created * 1000 };
}

/** Returns the sandboxes among the items. The gate of an isolated sandbox publishes its port. */
export function sandboxesOf(items: readonly Item[]): ListedSandbox[] {
  return items.flatMap((item) => {
    const found = sandboxOf(item);
    if (!found) return [];
    const others = items.filter(({ labels }) => labels?.[sandboxLabel] === found.session);
    return [{ ...found, port: found.port ?? others.flatMap(({ ports = [] }) => ports)[0] }];
  });
}
