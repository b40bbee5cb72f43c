/** Removes everything of ours from a container runtime, found by label alone. */
import type { Containers, Item, Kind } from './containers.ts';
import { imageLabel, sandboxLabel } from './labels.ts';

/** In the order in which each can go: a network in use stays, and so does an image. */
const kinds: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: 'container', label: sandboxLabel },
  { kind: 'network', label: sandboxLabel },
  { kind: 'image', label: imageLabel },
];

/** What was removed, in order. @throws ExternalError when the container runtime refuses */
export async function cleanup(containers: Containers, images: boolean): Promise<Item[]> {
  const removed: Item[] = [];
  for (const { kind, label } of kinds) {
    if (kind === 'image' && !images) continue;
    const items = await containers.list(kind, label);
    await Promise.all(items.map((item) => containers.remove(item)));
    removed.push(...items);
  }
  return removed;
}
