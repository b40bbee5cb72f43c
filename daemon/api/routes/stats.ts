import { json } from '../answer.ts';
import type { Route } from '../call.ts';
import { uptimeSeconds } from '../uptime.ts';

export const stats: Route<'stats'> = async ({ core, now }) => {
  await core.recount();
  return json({ services: core.stats(), tables: core.tables(), uptime_seconds: uptimeSeconds(core, now()) });
};
