/**
 * Bounds on what clients, upstreams, trusted proxies, the LAPI, files and workers can make the daemon keep, and on how
 * long it waits for them. Bounds of policies are in contract/policy/limits.ts.
 */
import { apiBounds } from './bounds/api.ts';
import { banBounds } from './bounds/bans.ts';
import { connectionBounds } from './bounds/connections.ts';
import { feedBounds } from './bounds/feed.ts';
import { fileBounds } from './bounds/files.ts';
import { inspectionBounds } from './bounds/inspection.ts';
import { noticeBounds } from './bounds/notices.ts';
import { processBounds } from './bounds/processes.ts';

export const daemonBounds = {
  ...inspectionBounds,
  ...apiBounds,
  ...feedBounds,
  ...connectionBounds,
  ...processBounds,
  ...banBounds,
  ...fileBounds,
  ...noticeBounds,
} as const;
