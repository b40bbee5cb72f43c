/** The records of /stats and /services of the management API (docs/api.md). */
import type * as z from 'zod/mini';
import type { Services, Stats } from '../../contract/api/state.ts';

export type ServiceStats = z.output<typeof Stats>['services'][string];
export type ServiceInfo = z.output<typeof Services>[number];
/** The fill level of a bounded table. */
export type TableStats = z.output<typeof Stats>['tables'][string];
/** The counts of a source of the intake. */
export type IntakeStats = NonNullable<z.output<typeof Stats>['intake']>[number];
