import { json } from '../answer.ts';
import type { Route } from '../call.ts';
import { uptimeSeconds } from '../uptime.ts';

export const stats: Route<'stats'> = ({ core, now }) =>
  json({ services: core.stats(), tables: core.tables(), uptime_seconds: uptimeSeconds(core, now()) });
