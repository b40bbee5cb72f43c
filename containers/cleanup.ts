/** Removes the containers, networks and images of guardcli, which it finds by label. */
import { ExternalError, UsageError } from '../platform/errors.ts';
import type { Containers, Item, Kind } from './containers.ts';
import { imageLabel, isOurImage, sandboxLabel } from './labels.ts';

/** Items in the order of removal: a network or image in use cannot be removed. */
const removalOrder: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: 'container', label: sandboxLabel },
  { kind: 'network', label: sandboxLabel },
  { kind: 'image', label: imageLabel },
];

export interface CleanupOptions {
  /** Names and published ports. Empty: every sandbox of every user. */
  readonly sandboxes: readonly string[];
  readonly images: boolean;
  readonly dryRun: boolean;
  /** After an interruption, each item that was not removed is a failure. */
  readonly signal?: AbortSignal;
}

/** An operation that the container runtime refused. */
export interface Failure {
  readonly message: string;
  readonly reason: string | undefined;
}

export interface CleanupResult {
  /** Ordered by kind. */
  readonly removed: readonly Item[];
  /** The items that a cleanup would remove, for a dry run. */
  readonly found?: readonly Item[];
  /** Images that users built from ours. They inherit our label and have another name. */
  readonly kept: readonly Item[];
  readonly failures: readonly Failure[];
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ExternalError)) throw error;
  return { message: error.message, reason: error.failed.output };
}

const sessionOf = ({ labels = {} }: Item): string | undefined => labels[sandboxLabel];
const isNamed = ({ name, ports = [] }: Item, text: string): boolean =>
  name === text || ports.map(String).includes(text);

/**
 * Returns the items of the named sandboxes. An isolated sandbox also has a network, and a container that publishes its
 * ports.
 * @throws UsageError for a name or port that no sandbox has
 */
function ofSandboxes(items: readonly Item[], sandboxes: readonly string[]): Item[] {
  const sessions = sandboxes.flatMap((text) => {
    const found = items.filter((item) => isNamed(item, text)).map(sessionOf);
    if (found.length > 0) return found;
    const hint = 'guardcli cleanup --dry-run lists the sandboxes with their ports';
    throw new UsageError(`no sandbox has the name or port ${text}`, { code: 'no_sandbox', hint });
  });
  return items.filter((item) => sessions.includes(sessionOf(item)));
}

/**
 * Removes the items. Continues when the container runtime refuses to remove one.
 * @throws UsageError for a name or port that no sandbox has; nothing is removed then
 */
export async function cleanup(
  containers: Containers,
  { sandboxes, images, dryRun, signal }: CleanupOptions,
): Promise<CleanupResult> {
  const [removed, failures]: [Item[], Failure[]] = [[], []];
  const refused = (error: unknown): void => void failures.push(failureOf(error));
  const selectedKinds = removalOrder.filter(({ kind }) => images || kind !== 'image');
  const lists = selectedKinds.map(({ kind, label }) =>
    containers.list(kind, label, signal && { signal }).catch(refused),
  );
  const listed = (await Promise.all(lists)).flatMap((items) => items ?? []);
  signal?.throwIfAborted();
  const ours = listed.filter((item) => item.kind !== 'image' || isOurImage(item));
  const found = sandboxes.length === 0 ? ours : ofSandboxes(ours, sandboxes);
  const kept = listed.filter((item) => !ours.includes(item));
  if (dryRun) return { removed, found, kept, failures };
  for (const { kind } of selectedKinds) {
    const items = found.filter((item) => item.kind === kind);
    await Promise.all(
      items.map((item) => containers.remove(item, signal).then(() => void removed.push(item), refused)),
    );
  }
  return { removed, kept, failures };
}
