/** Labels that identify our items in a container runtime. They are the only way to find them. */
import type { Item } from './containers.ts';

/** On containers and networks. The value is the session: one per run of the command. */
export const sandboxLabel = 'request-guard.sandbox';
/** On containers: the target. */
export const targetLabel = 'request-guard.target';
/** Only on images. Containers inherit the labels of their image, so one key for both would be ambiguous. */
export const imageLabel = 'request-guard.image';

/** Begins the name of each of our images. Without a host, it could refer to a public image of someone else. */
export const imageRepository = 'localhost/request-guard';

/** Whether an image with our label is ours: an image that a user built from ours has the label, too, and another name. */
export const isOurImage = ({ id, name }: Item): boolean => id !== name || name.startsWith(`${imageRepository}/`);

/** On containers that run without the command that started them. */
export const detachedLabel = 'request-guard.detached';

/** Labels of one run. */
export function sandboxLabels(session: string, target: string, detach = false): Record<string, string> {
  return { [sandboxLabel]: session, [targetLabel]: target, ...(detach && { [detachedLabel]: 'true' }) };
}
