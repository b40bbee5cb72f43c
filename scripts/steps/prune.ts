/** Removes our replaced images, which tests and changed sources leave in the container runtime. */
import { json } from 'node:stream/consumers';
import { imageLabel } from '../../cli/sandbox/labels.ts';
import { ask } from '../runtime/connection.ts';
import { findRuntime } from '../runtime/find.ts';
import { suites } from '../suites/index.ts';
import type { Task } from '../tasks/task.ts';

/** Image id of the container runtime. */
export interface Image {
  readonly Id: string;
  readonly RepoTags: readonly string[] | null;
  /** Seconds since the epoch. */
  readonly Created: number;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Number of images to keep of each kind: the current one, and those of two other branches or clones. */
const kept = 3;
/** A running build also has images without a name, so these must be older than this. */
const buildSeconds = 60 * 60;

/** Ids of the replaced images. */
export function replaced(images: readonly Image[], nowSeconds: number): string[] {
  const isNamed = ({ RepoTags }: Image): boolean => (RepoTags ?? []).some((tag) => !tag.startsWith('<none>'));
  const newestFirst = images.toSorted((a, b) => b.Created - a.Created);
  const byKind = Map.groupBy(newestFirst.filter(isNamed), ({ Labels, RepoTags }) =>
    JSON.stringify([Labels[imageLabel], RepoTags?.[0]?.split(':')[0]]),
  );
  const old = [...byKind.values()].flatMap((kind) => kind.slice(kept));
  const nameless = images.filter((image) => !isNamed(image) && nowSeconds - image.Created > buildSeconds);
  return [...old, ...nameless].map(({ Id }) => Id);
}

export const prune: Task = {
  name: 'prune',
  does: 'removing replaced images',
  needs: ['containers'],
  after: suites.map(({ name }) => name),
  run: async ({ signal, log }) => {
    const runtime = await findRuntime();
    if (!runtime) return undefined;
    const filters = encodeURIComponent(JSON.stringify({ label: [imageLabel] }));
    const list = await ask(runtime, { method: 'GET', path: `/images/json?filters=${filters}`, signal });
    for (const id of replaced((await json(list)) as Image[], Date.now() / 1000)) {
      // An image that a container or another image uses stays.
      const removal = ask(runtime, { method: 'DELETE', path: `/images/${id}`, signal });
      await removal.then(
        (response) => response.resume(),
        (error: Error) => log(`${id}: ${error.message}\n`),
      );
    }
    return undefined;
  },
  fix: 'run `guardcli cleanup --images`',
};
