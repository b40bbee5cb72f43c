/** Limits the number of steps in every window of one second. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Pace {
  readonly step: () => Promise<void>;
}

export function createPace(perSecond: number, now: () => number, wait: (ms: number) => Promise<unknown> = sleep): Pace {
  const recent: number[] = [];
  return {
    step: async () => {
      for (;;) {
        while (recent.length > 0 && now() - (recent[0] ?? 0) >= 1000) recent.shift();
        if (recent.length < perSecond) break;
        await wait(1000 - (now() - (recent[0] ?? 0)));
      }
      recent.push(now());
    },
  };
}
