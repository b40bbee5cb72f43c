/** `guardcli why`: finds the event of a reference, and explains it. */
import { reference as format, normalizedReference } from '../../contract/policy/reference.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { exitCodes, GuardError, UsageError } from '../../platform/errors.ts';
import { isLimit, limitText } from '../evaluate/bounds.ts';
import { policyFor } from '../evaluate/policy.ts';
import { refuseStdinTwice, stdinName } from '../input/source.ts';
import { type Explanation, explainRule } from '../policy/explain/explain.ts';
import type { Context } from '../program/context.ts';
import { openLoki } from '../stack/loki/client.ts';
import { type LokiOptions, lokiUrl, sinceMs } from '../stack/loki/options.ts';
import { allowedFor } from './allowed.ts';
import { countBlocks } from './counts.ts';
import type { FoundEvent } from './event.ts';
import { searchLoki } from './loki.ts';
import type { WhyResult } from './result.ts';
import { compactNeedleOf, needleOf, SearchNotes, searchFile } from './search.ts';

export interface WhyOptions extends LokiOptions {
  readonly reference: string;
  readonly file: readonly string[];
  readonly config?: string;
  readonly since?: string;
}

/** Value of --since for Loki when the user gives none. */
const defaultSince = '7d';

class NotFound extends GuardError {
  readonly exitCode = exitCodes.negative;
}

type Found = Pick<WhyResult, 'source' | 'event' | 'counts'>;

function checkedReference(text: string): string {
  const normalized = normalizedReference(text);
  if (normalized !== undefined) return normalized;
  throw new UsageError(`${JSON.stringify(text)} is not a reference`, {
    code: 'bad_reference',
    hint: `a reference has ${format.characters} digits and letters without U, such as 7K3QF2M9TD; copy it from the response`,
  });
}

function checkOptions({ file: files, since, config }: WhyOptions): void {
  refuseStdinTwice([...files, config]);
  if (files.length > 0 && since !== undefined)
    throw new UsageError('--since is for Loki, and files are named', { code: 'conflict', hint: 'remove --since' });
}

/** Searches for the reference as gateways write it, then in any JSON. Standard input can be read only once. */
async function findInFiles(
  reference: string,
  files: readonly string[],
  notes: SearchNotes,
  context: Context,
): Promise<Found | undefined> {
  const any = needleOf(reference);
  for (const needle of files.includes(stdinName) ? [any] : [compactNeedleOf(reference), any])
    for (const name of files) {
      const found = await searchFile(name, { reference, needle, notes }, context);
      if (!found) continue;
      const { file, event, blocks } = found;
      return { source: file, event, counts: countBlocks(event, blocks) };
    }
  return undefined;
}

async function findInLoki(reference: string, options: WhyOptions, context: Context): Promise<Found | undefined> {
  const loki = openLoki(lokiUrl(options, context), context.signal, 'name the event files of the gateways');
  const now = context.now();
  // The clock of a gateway can be ahead.
  const span = { start: now - sinceMs(options.since ?? defaultSince), end: now + 60_000 };
  const found = await searchLoki(loki, reference, span);
  return found && { source: `Loki at ${loki.address}`, ...found };
}

function notFound(reference: string, { file: files, since = defaultSince }: WhyOptions, notes: SearchNotes): NotFound {
  const isInLoki = files.length === 0;
  const where = isInLoki ? `in Loki in the last ${since}` : files.length === 1 ? 'in the file' : 'in these files';
  const more = isInLoki
    ? 'use a longer --since, or name the event files of the gateways'
    : 'name the event files of every gateway, and the rotated ones';
  const damagedText = notes.damageMessages.size === 0 ? '' : ` (damaged: ${[...notes.damageMessages].join('; ')})`;
  const hasNoEvents = !isInLoki && !notes.hasEvents && notes.damageMessages.size === 0;
  const noEventsText = hasNoEvents ? ': no line is an event' : '';
  return new NotFound(`there is no event with the reference ${reference} ${where}${noEventsText}${damagedText}`, {
    code: 'reference_absent',
    hint: hasNoEvents
      ? 'name the event files of the gateways, not their access logs'
      : `compare it with the response, and ${more}`,
  });
}

/** Explains the rule of an event. Returns null when neither the built-in rules nor the policy have it. */
const explanationOf = ({ rule_id: id }: FoundEvent, policy: Policy, name: string | null): Explanation | null =>
  (id === '' ? undefined : explainRule(id, policy, name)) ?? null;

/**
 * Finds and explains the event of a reference.
 * @throws UsageError for a text that is not a reference, NotFound when no event has it
 */
export async function why(options: WhyOptions, context: Context): Promise<WhyResult> {
  const reference = checkedReference(options.reference);
  checkOptions(options);
  const { policy, name } = await policyFor(options.config === undefined ? {} : { config: options.config }, context);
  const notes = new SearchNotes();
  const found =
    options.file.length === 0
      ? await findInLoki(reference, options, context)
      : await findInFiles(reference, options.file, notes, context);
  if (!found) throw notFound(reference, options, notes);
  const { event } = found;
  const { reason, target } = event;
  return {
    ...{ reference, ...found, damage: [...notes.damageMessages] },
    rule: explanationOf(event, policy, name),
    ...(isLimit(reason) && { bound: limitText(reason, target) }),
    ...{ policy: name, allow: await allowedFor(event, policy) },
  };
}
