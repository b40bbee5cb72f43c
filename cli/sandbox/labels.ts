/** Labels that identify our items in a container runtime. They are the only way to find them. */

/** On containers and networks. The value is the session: one per run of the command. */
export const sandboxLabel = 'request-guard.sandbox';
/** On containers: the target. */
export const targetLabel = 'request-guard.target';
/** Only on images. Containers inherit the labels of their image, so one key for both would be ambiguous. */
export const imageLabel = 'request-guard.image';

/** On containers that run without the command that started them. */
export const detachedLabel = 'request-guard.detached';

/** Labels of one run. */
export function sandboxLabels(session: string, target: string, detach = false): Record<string, string> {
  return { [sandboxLabel]: session, [targetLabel]: target, ...(detach && { [detachedLabel]: 'true' }) };
}
