/** `guardcli bans import` and `guardcli bans export`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { asTextLine } from '../../contract/api/fields.ts';
import type { BanRecord } from '../../contract/api/records.ts';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { expandPresets } from '../../contract/values/presets.ts';
import { readPrefix } from '../../daemon/address/prefix.ts';
import { createExempt } from '../../daemon/bans/exempt.ts';
import { type Entry, readEntries } from '../../daemon/lists/entries.ts';
import { bytesWithin } from '../../platform/bounded.ts';
import { exitCodes, UsageError } from '../../platform/errors.ts';
import { jsonText, readable } from '../../platform/escape.ts';
import { type DaemonClient, Refusal } from '../daemon/client.ts';
import { streamSource } from '../input/source.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { readPages } from './commands.ts';
import { type DaemonOptions, withClient, withDaemon } from './options.ts';

interface ImportOptions extends DaemonOptions {
  readonly file: string;
  readonly duration?: string;
  readonly reason?: string;
}

interface Imported {
  readonly banned: number;
  /** Entries whose end has passed. */
  readonly ended: number;
  /** Rows that are not an address or a network, and those beyond the number of bans that tcp-guard keeps. */
  readonly unread: number;
  /** The number of refused entries by the code of the API, such as `never_ban`, or `private_network`. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Calls in progress. The store writes those that wait in one transaction. */
const callsAtOnce = 64;
const millisecondsUntilRetry = 1000;
/** Codes of refusals that concern one entry. Any other one ends the import. */
const codesOfOne = ['never_ban', 'edge_network', 'bad_address', 'bad_body'];

async function readFile(name: string, context: Context): Promise<string> {
  const bytes = await bytesWithin(streamSource(name, context), daemonBounds.listBytes);
  if (bytes) return bytes.toString('utf8');
  const hint = 'split the file, or name it in `lists` of tcp-guard.yaml';
  throw new UsageError(`${name} has more than ${daemonBounds.listBytes} bytes`, { code: 'file_too_large', hint });
}

const durationOf = (leftMs: number): string =>
  leftMs === Number.POSITIVE_INFINITY
    ? 'permanent'
    : `${Math.max(1, Math.ceil(Math.min(leftMs, daemonBounds.banMs) / 1000))}s`;

function bodyOf({ ip, reason, leftMs }: Entry, options: ImportOptions): object {
  const duration = options.duration ?? (leftMs === undefined ? undefined : durationOf(leftMs));
  const text = options.reason ?? reason ?? `imported from ${options.file}`;
  return { ip, reason: asTextLine(text), ...(duration !== undefined && { duration }) };
}

const privateNetworks = createExempt(expandPresets(['private']), []);

/** Whether an entry is a network with private addresses. Block lists have them, and a ban cuts off the hosts of this network. */
function isPrivateNetwork({ ip }: Entry): boolean {
  const prefix = ip.includes('/') ? readPrefix(ip) : undefined;
  return prefix !== undefined && (privateNetworks.covers(prefix) || privateNetworks.hasAnyIn(prefix));
}

/** Bans an entry. Returns the code of a refusal. @throws for a daemon that cannot ban more, or does not respond */
async function banOne(client: DaemonClient, body: object, signal: AbortSignal): Promise<string | undefined> {
  for (;;)
    try {
      await client.change('/ban', body, signal);
      return undefined;
    } catch (error) {
      const code = error instanceof Refusal ? error.code : '';
      if (codesOfOne.includes(code)) return code;
      if (code !== 'too_many_requests') throw error;
      await sleep(millisecondsUntilRetry, undefined, { signal });
    }
}

async function importFile(options: ImportOptions, context: Context): Promise<Imported> {
  const { duration } = options;
  if (duration !== undefined && parseDuration(duration) === undefined)
    throw new UsageError(`--duration is ${JSON.stringify(duration)}`, {
      code: 'bad_option',
      hint: 'pass 30m, 4h, 7d or permanent',
    });
  const text = await readFile(options.file, context);
  const read = await readEntries(text, { now: Date.now(), most: daemonBounds.bans });
  const [{ entries }, unread] = [read, read.unread + read.beyond];
  const current = entries.filter(({ leftMs }) => duration !== undefined || leftMs === undefined || leftMs > 0);
  const refused: Record<string, number> = {};
  await withClient(options, context, async (client) => {
    const waiting = current.values();
    const work = async () => {
      for (const entry of waiting) {
        const code = isPrivateNetwork(entry)
          ? 'private_network'
          : await banOne(client, bodyOf(entry, options), context.signal);
        if (code !== undefined) refused[code] = (refused[code] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: callsAtOnce }, work));
  });
  const failed = Object.values(refused).reduce((sum, count) => sum + count, 0);
  return { banned: current.length - failed, ended: entries.length - current.length, unread, refused };
}

const counted = (count: number, one: string, more: string): string[] =>
  count > 0 ? [`${count} ${count === 1 ? one : more}`] : [];

export const importCommand = command<ImportOptions, Imported>({
  description:
    'Bans the addresses and networks of a file: lines that begin with one, lines of JSON with `cidr` (Spamhaus), the output of ' +
    '`cscli decisions list -o json`, of `fail2ban-client banned`, and of `guardcli bans export --format json`, which keep their reasons ' +
    'and ends. A ban that lasts longer stays.',
  examples: [
    { line: 'guardcli bans import drop.txt --duration 7d --reason "Spamhaus DROP"', note: 'lines of text' },
    { line: 'fail2ban-client banned | guardcli bans import - --duration 1d', note: 'from fail2ban' },
    { line: 'cscli decisions list -o json | guardcli bans import -', note: 'from CrowdSec, with ends and reasons' },
  ],
  configure: (parser) =>
    withDaemon(parser)
      .argument('<file>', 'the file; - reads standard input')
      .option('--duration <time>', 'how long; default: the end in the file, or global.ban_duration')
      .option('--reason <text>', 'why; default: the reason in the file, or its name'),
  run: importFile,
  text: ({ banned }) => `${banned} ${banned === 1 ? 'address or network is' : 'addresses and networks are'} banned`,
  notes: ({ ended, unread, refused }) =>
    [
      ...counted(ended, 'has ended before', 'have ended before'),
      ...counted(unread, 'row is not an address or a network', 'rows are not an address or a network'),
      ...Object.entries(refused).flatMap(([code, count]) =>
        counted(count, `was refused: ${readable(code)}`, `were refused: ${readable(code)}`),
      ),
    ].join('\n'),
  exitCode: ({ banned, ended, unread, refused }) =>
    banned + ended === 0 && unread + Object.keys(refused).length > 0 ? exitCodes.negative : exitCodes.done,
});

interface ExportOptions extends DaemonOptions {
  readonly format: 'plain' | 'json';
}

export const exportCommand = command<ExportOptions, { readonly bans: readonly BanRecord[] }>({
  description: 'Prints every ban of this daemon: one address or network a line, or JSON that `bans import` reads.',
  examples: [
    { line: 'guardcli bans export > bans.txt', note: 'addresses and networks, one a line' },
    { line: 'guardcli bans export --format json > bans.json', note: 'with reasons and ends' },
  ],
  configure: (parser) =>
    withDaemon(parser).addOption(
      parser.createOption('--format <name>', 'how').choices(['plain', 'json']).default('plain'),
    ),
  run: async (options, context) => {
    const search = new URLSearchParams({ origin: 'local' });
    const { bans } = await withClient(options, context, (client) =>
      readPages(client, search, daemonBounds.bans, context.signal),
    );
    return { bans };
  },
  text: ({ bans }, _paint, { format }) =>
    format === 'json' ? jsonText({ bans }) : bans.map(({ ip }) => readable(ip)).join('\n'),
  isPlain: () => true,
});
