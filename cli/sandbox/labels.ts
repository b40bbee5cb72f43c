/** The labels by which everything of ours in a container runtime is found again: never by name, never from memory. */

/** On containers and networks; the value is the session, one per run of the command. */
export const sandboxLabel = 'request-guard.sandbox';
/** On containers: which proxy. */
export const targetLabel = 'request-guard.target';
/** On images alone: containers inherit the labels of their image, so one key for both would mix them up. */
export const imageLabel = 'request-guard.image';

/** Labels of one run. */
export function sandboxLabels(session: string, target: string): Record<string, string> {
  return { [sandboxLabel]: session, [targetLabel]: target };
}
