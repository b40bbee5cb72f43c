/** Logs a problem once until it changes. An empty one: there is none any more. */
export function complainer(log: (message: string) => void) {
  let last = '';
  return (message: string): void => {
    if (message !== last && message !== '') log(message);
    last = message;
  };
}
