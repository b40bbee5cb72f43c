/** Warnings about `intake`. */
import type { Daemon } from '../../daemon/schema.ts';
import { logPlaces } from '../../logs/places.ts';
import { valueAt } from '../../schema/problem.ts';
import type { Warning } from './warning.ts';

/** Logs of servers by their usual names, and their formats. A guard writes its events to none of these. */
const usualFiles: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)(?:auth\.log|secure)$/, 'sshd'],
  [/(?:^|\/)(?:mail\.log|maillog)$/, 'dovecot or postfix'],
  [/(?:^|\/)access(?:\.log|_log)$/, 'access'],
];

function usualFormat({ unit, file = '' }: Daemon['intake'][number]): string | undefined {
  const place = logPlaces.find(({ units }) => unit !== undefined && units?.test(unit));
  return place?.format ?? usualFiles.find(([name]) => name.test(file))?.[1];
}

/** Warns of the log of a server without its format: no line is an event of a guard, so nothing is banned. */
export function* missingFormats(daemon: Daemon, file: unknown): Iterable<Warning> {
  for (const [index, entry] of daemon.intake.entries()) {
    const format = usualFormat(entry);
    if (format === undefined || valueAt(file, ['intake', index, 'format']) !== undefined) continue;
    yield {
      kind: 'no_format',
      path: ['intake', index],
      message: 'without format its lines are read as events of a guard, and ban no client',
      hint: `write format: ${format}`,
    };
  }
}
