import { json } from '../answer.ts';
import type { Route } from '../call.ts';
import { uptimeSeconds } from '../uptime.ts';

export const stats: Route<'stats'> = async ({ control, now }) => {
  await control.recount();
  return json({
    services: control.stats(),
    tables: control.tables(),
    data_plane: control.dataPlane(),
    uptime_seconds: uptimeSeconds(control, now()),
  });
};
