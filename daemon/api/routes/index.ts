/** The route of each operation. */
import type { OperationName } from '../../../contract/api/operations.ts';
import type { Route } from '../call.ts';
import { ban } from './ban.ts';
import { banlist } from './banlist.ts';
import { events } from './events.ts';
import { health } from './health.ts';
import { metrics } from './metrics.ts';
import { openapi } from './openapi.ts';
import { ping } from './ping.ts';
import { reload } from './reload.ts';
import { report } from './report.ts';
import { services } from './services.ts';
import { stats } from './stats.ts';
import { unban } from './unban.ts';

type Routes = { readonly [Name in OperationName]: Route<Name> };

export const routes: Routes = {
  health,
  ping,
  stats,
  services,
  banlist,
  ban,
  unban,
  events,
  report,
  reload,
  metrics,
  openapi,
};
