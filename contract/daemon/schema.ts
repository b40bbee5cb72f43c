/**
 * The schema of tcp-guard.yaml. It is built on first use: every start of the CLI loads this module, and few need the
 * schema.
 */
import * as z from 'zod/mini';
import { crossChecked } from '../schema/cross-checked.ts';
import { defaulted, nested } from '../schema/kinds.ts';
import { daemonChecks } from './checks.ts';
import { formatsKey, intakeSection } from './intake.ts';
import { listsSection } from './lists.ts';
import { notifySection } from './notify.ts';
import * as sections from './sections.ts';
import { servicesSection } from './services.ts';

function build() {
  const keys = z.strictObject({
    version: defaulted(z.literal(1), 1, 'Version of the file format.'),
    global: nested(sections.globalSection(), 'Settings of the process and of all services.'),
    bans: nested(sections.bansSection(), 'The ban store.'),
    api: nested(sections.apiSection(), 'The management API.'),
    threatfeed: nested(sections.threatfeedSection(), 'Decisions of a CrowdSec local API.'),
    intake: defaulted(intakeSection(), [], 'Logs whose lines count as failures of clients.'),
    formats: defaulted(formatsKey(), [], 'Files with rows of further log formats (docs/host.md).'),
    lists: defaulted(listsSection(), [], 'Lists of addresses that others publish.'),
    notify: defaulted(notifySection(), [], 'Who gets a notice of bans and problems.'),
    services: defaulted(servicesSection(), {}, 'The guarded services, by name.'),
    port_scan: nested(sections.portScanSection(), 'Closed ports that only record probes.'),
  });
  return crossChecked(keys, ...daemonChecks);
}

let schema: ReturnType<typeof build> | undefined;

export function daemonSchema(): ReturnType<typeof build> {
  schema ??= build();
  return schema;
}

/** A daemon file with defaults. Durations and endpoints are still text. */
export type Daemon = z.output<ReturnType<typeof build>>;
/** A daemon file as the user writes it. */
export type DaemonFile = z.input<ReturnType<typeof build>>;
