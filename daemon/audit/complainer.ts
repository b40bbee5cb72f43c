export interface Complain {
  /** Reports a problem. An empty message reports that the problem is over. */
  (message: string): void;
  readonly problems: () => readonly string[];
}

/** Logs a problem once, until it changes. */
export function createComplainer(log: (message: string) => void): Complain {
  let last = '';
  const complain = (message: string): void => {
    if (message !== last && message !== '') log(message);
    last = message;
  };
  return Object.assign(complain, { problems: () => (last === '' ? [] : [last]) });
}
