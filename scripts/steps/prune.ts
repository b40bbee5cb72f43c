/** Removes replaced images of this project. */
import type { Item } from '../../containers/containers.ts';
import { imageLabel, isOurImage } from '../../containers/labels.ts';
import type { Task } from '../tasks/task.ts';
import { runtime } from './containers.ts';

/** Number of images to keep of each kind: the current one, and those of two other branches or clones. */
const keptPerKind = 3;
/** Minimum age of an image without a name. A running build also has such images. */
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
      // An image that a container or another image uses cannot be removed.
      await containers.remove(image).catch((error: Error) => log(`${image.name}: ${error.message}\n`));
    }
  },
  fix: 'run `guardcli cleanup --images`',
});
