/** Parts that are not there: nobody is banned, nothing is counted. */
import type { Bans } from './bans/ban.ts';
import type { FailureTracker } from './failures/tracker.ts';

export const noBans: Bans = {
  covering: () => undefined,
  add: async () => ({ ok: false, refusal: 'too_many' }),
  remove: async () => undefined,
  list: () => ({ bans: [], cursor: undefined }),
  count: () => 0,
  watch: () => () => {},
  problems: () => [],
  close: async () => {},
};

export const noFailures: FailureTracker = { fail: () => false, size: () => 0 };
