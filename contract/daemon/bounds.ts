/**
 * Bounds on everything that a client, an upstream or a trusted proxy can make the daemon keep. Bounds of policies are
 * in contract/policy/limits.ts.
 */
import { apiBounds } from './bounds/api.ts';
import { banBounds } from './bounds/bans.ts';
import { connectionBounds } from './bounds/connections.ts';
import { feedBounds } from './bounds/feed.ts';
import { fileBounds } from './bounds/files.ts';
import { inspectionBounds } from './bounds/inspection.ts';
import { processBounds } from './bounds/processes.ts';

export const daemonBounds = {
  ...inspectionBounds,
  ...apiBounds,
  ...feedBounds,
  ...connectionBounds,
  ...processBounds,
  ...banBounds,
  ...fileBounds,
} as const;
