/** Removes all of our items from a container runtime. Finds them only by label. */
import type { Containers, Item, Kind } from './containers.ts';
import { imageLabel, sandboxLabel } from './labels.ts';

/** In the order of removal: a network or image in use cannot be removed. */
const kinds: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: 'container', label: sandboxLabel },
  { kind: 'network', label: sandboxLabel },
  { kind: 'image', label: imageLabel },
];

/** The removed items, in order. @throws ExternalError when the container runtime refuses */
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
