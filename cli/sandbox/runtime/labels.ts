/** Labels that identify our items in a container runtime. Items are found only by them. */
import { randomBytes } from 'node:crypto';
import type { Item } from './containers.ts';

/** On containers and networks. The value is the session: one per run of the command. */
export const sandboxLabel = 'request-guard.sandbox';
export const newSession = (): string => randomBytes(6).toString('hex');

/** On containers: the target. */
export const targetLabel = 'request-guard.target';
/** Only on images. Containers inherit the labels of their image, so they need another key. */
export const imageLabel = 'request-guard.image';

/** Prefix of the name of each of our images. A name without a host could refer to a public image of someone else. */
export const imageRepository = 'localhost/request-guard';

/**
 * True for our images, also for one that has lost its name (its name is then not its id). An image that a user built
 * from one of ours inherits the label but has another name.
 */
export const isOurImage = ({ id, name }: Item): boolean => id !== name || name.startsWith(`${imageRepository}/`);

/** On containers that run without the command that started them. */
export const detachedLabel = 'request-guard.detached';

/** The labels of one item of a session. */
export function sandboxLabels(session: string, target: string, detach = false): Record<string, string> {
  return { [sandboxLabel]: session, [targetLabel]: target, ...(detach && { [detachedLabel]: 'true' }) };
}
