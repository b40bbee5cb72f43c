/** Removes all of our items from a container runtime. Finds them only by label. */
import { ExternalError } from '../../platform/errors.ts';
import type { Containers, Item, Kind } from './containers.ts';
import { imageLabel, isOurImage, sandboxLabel } from './labels.ts';

/** In the order of removal: a network or image in use cannot be removed. */
const kinds: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: 'container', label: sandboxLabel },
  { kind: 'network', label: sandboxLabel },
  { kind: 'image', label: imageLabel },
];

/** What the container runtime refused, and its reason. */
export interface Failure {
  readonly message: string;
  readonly reason: string | undefined;
}

export interface Cleaned {
  /** Ordered by kind. */
  readonly removed: readonly Item[];
  /** Images with our label that have another name than ours. */
  readonly kept: readonly Item[];
  readonly failures: readonly Failure[];
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ExternalError)) throw error;
  return { message: error.message, reason: error.failed.output };
}

/** Continues after a refusal: an item that cannot be removed keeps no other. */
export async function cleanup(containers: Containers, images: boolean): Promise<Cleaned> {
  const removed: Item[] = [];
  const kept: Item[] = [];
  const failures: Failure[] = [];
  const refused = (error: unknown): void => void failures.push(failureOf(error));
  for (const { kind, label } of kinds) {
    if (kind === 'image' && !images) continue;
    const items = (await containers.list(kind, label).catch(refused)) ?? [];
    const ours = items.filter((item) => kind !== 'image' || isOurImage(item));
    const removals = ours.map((item) => containers.remove(item).then(() => void removed.push(item), refused));
    await Promise.all(removals);
    kept.push(...items.filter((item) => !ours.includes(item)));
  }
  return { removed, kept, failures };
}
