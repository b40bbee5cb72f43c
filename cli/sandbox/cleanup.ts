/** Removes all of our items from a container runtime. Finds them only by label. */
import type { Containers, Item, Kind } from './containers.ts';
import { imageLabel, isOurImage, sandboxLabel } from './labels.ts';

/** In the order of removal: a network or image in use cannot be removed. */
const kinds: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: 'container', label: sandboxLabel },
  { kind: 'network', label: sandboxLabel },
  { kind: 'image', label: imageLabel },
];

export interface Cleaned {
  /** In order. */
  readonly removed: readonly Item[];
  /** Images with our label that have another name than ours. */
  readonly kept: readonly Item[];
}

/** @throws ExternalError when the container runtime refuses */
export async function cleanup(containers: Containers, images: boolean): Promise<Cleaned> {
  const removed: Item[] = [];
  const kept: Item[] = [];
  for (const { kind, label } of kinds) {
    if (kind === 'image' && !images) continue;
    const items = await containers.list(kind, label);
    const ours = items.filter((item) => kind !== 'image' || isOurImage(item));
    await Promise.all(ours.map((item) => containers.remove(item)));
    removed.push(...ours);
    kept.push(...items.filter((item) => !ours.includes(item)));
  }
  return { removed, kept };
}
