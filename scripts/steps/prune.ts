/** Removes images of ours that newer ones replaced: what tests and changed sources leave in the container runtime. */
import { json } from 'node:stream/consumers';
import { imageLabel } from '../../cli/sandbox/labels.ts';
import { ask } from '../runtime/connection.ts';
import { findRuntime } from '../runtime/find.ts';
import { suites } from '../suites/index.ts';
import type { Task } from '../tasks/task.ts';

/** Of the container runtime. */
export interface Image {
  readonly Id: string;
  readonly RepoTags: readonly string[] | null;
  /** Seconds. */
  readonly Created: number;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Images kept of each kind: the current one, and those of two other branches or clones. */
const kept = 3;
/** A build that still runs has images without a name too. */
const buildSeconds = 60 * 60;

/** Ids of the images that were replaced. */
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
  does: 'removing images that newer ones replaced',
  needs: ['containers'],
  after: suites.map(({ name }) => name),
  run: async ({ signal, log }) => {
    const runtime = await findRuntime();
    if (!runtime) return undefined;
    const filters = encodeURIComponent(JSON.stringify({ label: [imageLabel] }));
    const list = await ask(runtime, { method: 'GET', path: `/images/json?filters=${filters}`, signal });
    for (const id of replaced((await json(list)) as Image[], Date.now() / 1000)) {
      // One that a container or another image uses stays.
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
