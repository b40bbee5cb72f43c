/** Removes replaced images of this project. */
import type { Item } from '../../cli/sandbox/runtime/containers.ts';
import { imageLabel, isOurImage } from '../../cli/sandbox/runtime/labels.ts';
import type { Task } from '../tasks/task.ts';
import { runtime } from './containers.ts';

/** The current image of each kind, and those of two other branches or clones. */
const keptPerKind = 3;
/** A running build also has images without a name. */
const buildSeconds = 60 * 60;

export function replacedImages(images: readonly Item[], nowSeconds: number): Item[] {
  const newestFirst = images.toSorted((a, b) => (b.created ?? 0) - (a.created ?? 0));
  const byKind = Map.groupBy(newestFirst, ({ name }) => /^([^<]+):/.exec(name)?.[1]);
  const isLeft = ({ created = 0 }: Item): boolean => nowSeconds - created > buildSeconds;
  return [...byKind].flatMap(([kind, rows]) => (kind === undefined ? rows.filter(isLeft) : rows.slice(keptPerKind)));
}

export const pruneTask = (after: readonly string[]): Task => ({
  name: 'prune',
  does: 'removing replaced images',
  needs: ['containers'],
  after,
  run: async ({ log }) => {
    const containers = await runtime();
    const ours = (await containers.list('image', imageLabel)).filter(isOurImage);
    for (const image of replacedImages(ours, Date.now() / 1000)) {
      // A container or another image uses this one.
      await containers.remove(image).catch((error: Error) => log(`${image.name}: ${error.message}\n`));
    }
  },
  fix: 'run `guardcli cleanup --images`',
});
