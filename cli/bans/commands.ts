/** The subcommands of `guardcli bans`. */
import { banSources, mostListedRecords } from '../../contract/api/operations.ts';
import { type BanRecord, BanRequest, type ExemptionRecord, UnbanRequest } from '../../contract/api/records.ts';
import { UsageError } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import type { DaemonClient, SourceStats } from '../daemon/client.ts';
import { command } from '../program/command.ts';
import { stepsOf } from '../program/steps.ts';
import {
  type AddressOptions,
  addressOf,
  checkBody,
  type DaemonOptions,
  requiredAddress,
  withAddress,
  withClient,
  withDaemon,
} from './options.ts';
import { addedText, deletedText, listTexts, progressLines, sourcesText } from './text.ts';
import { type BanProgress, followBans } from './watch.ts';

interface ListOptions extends DaemonOptions, AddressOptions {
  readonly origin: string;
  readonly sources?: boolean;
  readonly limit: string;
}

interface BanPage {
  readonly bans: readonly BanRecord[];
  /** Absent when there are none. */
  readonly exemptions?: readonly ExemptionRecord[];
  readonly more: boolean;
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit > 0 && Number.isSafeInteger(limit)) return limit;
  throw new UsageError(`--limit is ${JSON.stringify(text)}`, { code: 'bad_option', hint: 'pass a number from 1' });
}

export async function readPages(
  client: DaemonClient,
  search: URLSearchParams,
  limit: number,
  signal: AbortSignal,
): Promise<BanPage> {
  const bans: BanRecord[] = [];
  let first = {};
  for (;;) {
    search.set('limit', String(Math.min(mostListedRecords, limit - bans.length)));
    const page = await client.bans(search, signal);
    bans.push(...page.bans);
    if (page.exemptions) first = { exemptions: page.exemptions };
    if (page.cursor === undefined) return { bans, ...first, more: false };
    if (bans.length >= limit || page.bans.length === 0) return { bans, ...first, more: true };
    search.set('cursor', page.cursor);
  }
}

interface Listed extends BanPage {
  /** Absent without --sources. */
  readonly sources?: readonly SourceStats[];
}

export const listCommand = command<ListOptions, Listed>({
  description:
    'Lists the bans of the daemon by address, each with the last line of the log that caused it. --ip and --range ' +
    'show the bans that cover this address or network, with all lines.',
  examples: [
    { line: 'guardcli bans list', note: 'the bans of this daemon' },
    { line: 'guardcli bans list --ip 192.0.2.7 --origin all', note: 'why this address is refused' },
    { line: 'guardcli bans list --sources', note: 'which logs are read, and what became of their lines' },
    { line: 'guardcli bans list --daemon unix:///run/guard/api.sock --json', note: 'over the socket, for scripts' },
  ],
  configure: (parser) =>
    withAddress(withDaemon(parser))
      .addOption(
        parser
          .createOption('--origin <source>', 'bans of this daemon, or decisions of the threat feed')
          .choices([...banSources])
          .default('local'),
      )
      .option('--limit <number>', 'the most bans that are listed', '100')
      .option('--sources', 'also the sources of intake, with what became of their lines'),
  run: (options, context) => {
    const address = addressOf(options);
    const limit = limitOf(options.limit);
    if (address !== undefined) checkBody(UnbanRequest, { ip: address });
    const search = new URLSearchParams({ origin: options.origin, ...(address !== undefined && { ip: address }) });
    return withClient(options, context, async (client) => {
      const page = await readPages(client, search, limit, context.signal);
      return options.sources ? { ...page, sources: await client.sources(context.signal) } : page;
    });
  },
  text: ({ sources, ...page }, paint, options) =>
    [
      ...listTexts(page, paint, addressOf(options) !== undefined),
      ...(sources ? [sourcesText(sources, paint)] : []),
    ].join('\n\n'),
  notes: ({ bans, more }) => (more ? `the first ${bans.length} bans; --limit lists more` : ''),
});

interface AddOptions extends DaemonOptions, AddressOptions {
  readonly duration?: string;
  readonly reason?: string;
  readonly replace?: boolean;
  readonly force?: boolean;
}

export const addCommand = command<AddOptions, BanRecord>({
  description:
    'Bans an address or a network on all services. It ends when the ban is enforced and on disk. A ban that lasts ' +
    'longer stays, unless --replace is given.',
  examples: [
    { line: 'guardcli bans add --ip 192.0.2.7 --duration 4h --reason scanner', note: 'one address' },
    {
      line: 'guardcli bans add --range 192.0.2.0/24 --duration permanent',
      note: 'a network, until the ban is deleted',
    },
  ],
  configure: (parser) =>
    withAddress(withDaemon(parser))
      .option('--duration <time>', 'how long, such as 30m, 4h, 7d or permanent (default: global.ban_duration)')
      .option('--reason <text>', 'why, for the list of bans and the audit file')
      .option('--replace', 'replace a ban that lasts longer')
      .option('--force', 'ban it although the SSH client of this host, or all clients behind a CDN, are cut off'),
  run: async (options, context) => {
    const { duration, reason, replace, force } = options;
    const ip = requiredAddress(options);
    const body = {
      ip,
      ...(duration !== undefined && { duration }),
      ...(reason !== undefined && { reason }),
      ...(replace && { replace }),
      ...(force && { force }),
    };
    checkBody(BanRequest, body);
    return withClient(options, context, (client) => client.change('/ban', body, context.signal));
  },
  text: addedText,
});

interface Deleted extends BanRecord {
  /** Address or network of another ban or decision that still covers the address after the unban. */
  readonly covered_by?: string;
}

export const deleteCommand = command<DaemonOptions & AddressOptions, Deleted>({
  description: 'Lifts the ban of exactly this address or network. A wider ban that covers it stays.',
  examples: [
    { line: 'guardcli bans delete --ip 192.0.2.7', note: 'status 1 if it is not banned' },
    { line: 'guardcli bans delete --range 192.0.2.0/24', note: 'the ban of the network' },
  ],
  configure: (parser) => withAddress(withDaemon(parser)),
  run: async (options, context) => {
    const body = { ip: requiredAddress(options) };
    checkBody(UnbanRequest, body);
    return withClient(options, context, async (client) => {
      const lifted = await client.change('/unban', body, context.signal);
      const search = new URLSearchParams({ ...body, origin: 'all' });
      // The ban is lifted even when this request fails.
      const covering = await client.bans(search, context.signal).then(
        ({ bans }) => bans.find(({ detected }) => !detected),
        () => undefined,
      );
      return { ...lifted, ...(covering && { covered_by: covering.ip }) };
    });
  },
  text: deletedText,
  notes: ({ covered_by: wider }) => (wider === undefined ? '' : `note: the ban of ${readable(wider)} still covers it`),
});

export const watchCommand = command<DaemonOptions, { readonly ended: true }, BanProgress>({
  description: 'Prints bans and lifted bans as they happen, until Ctrl-C. With --json each one is a line.',
  examples: [
    { line: 'guardcli bans watch', note: 'one line for each ban and each lifted ban' },
    { line: 'guardcli bans watch --json | jq .client_ip', note: 'for scripts' },
  ],
  configure: withDaemon,
  run: (options, context) =>
    stepsOf<BanProgress, { ended: true }>(async (report) => {
      await withClient(options, context, (client) => followBans(client, report, context.signal));
      return { ended: true };
    }),
  lines: progressLines,
  isStream: () => true,
  items: (progress) => ('event' in progress ? [progress.event] : []),
  text: () => '',
});
