import type * as z from 'zod/mini';
import type { Stats } from '../../../contract/api/records.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import { uptimeSeconds } from '../uptime.ts';

export const stats: Route<'stats'> = async ({ control, now }) => {
  await control.recount();
  const { leftOut, ...kernel } = control.kernelBans();
  return jsonAnswer({
    services: control.stats(),
    tables: control.tables(),
    data_plane: control.dataPlane(),
    kernel_bans: { ...kernel, left_out: leftOut },
    uptime_seconds: uptimeSeconds(control, now()),
  } satisfies z.output<typeof Stats>);
};
