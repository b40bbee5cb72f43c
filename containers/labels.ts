/** Labels that identify our items in a container runtime. */
import { randomBytes } from 'node:crypto';
import type { Item } from './containers.ts';

/** Label of containers and networks. Its value is the session of one run. */
export const sandboxLabel = 'request-guard.sandbox';
export const newSession = (): string => randomBytes(6).toString('hex');

/** Label with the name of the target. It is `gate` on the container that publishes the ports of an isolated sandbox. */
export const targetLabel = 'request-guard.target';
/** Label of images. Containers inherit the labels of their image. */
export const imageLabel = 'request-guard.image';

/** Repository of our images. A name without a host could refer to a public image. */
export const imageRepository = 'localhost/request-guard';

/**
 * True for an image in our repository, or without a name. The id of an image with a name is this name, so another id
 * marks an image without one.
 */
export const isOurImage = ({ id, name }: Item): boolean => id !== name || name.startsWith(`${imageRepository}/`);

/** Label of containers that outlive their command. */
export const detachedLabel = 'request-guard.detached';

export function sandboxLabels(session: string, target: string, detach = false): Record<string, string> {
  return { [sandboxLabel]: session, [targetLabel]: target, ...(detach && { [detachedLabel]: 'true' }) };
}
