/** At most so many at once, first come first served. */
export function createQueue(places: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = places;
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  };
}
