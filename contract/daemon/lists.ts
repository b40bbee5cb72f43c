/** The section `lists`: addresses that others publish. */
import * as z from 'zod/mini';
import { refined } from '../schema/fields.ts';
import { defaulted, integer, list, optional } from '../schema/kinds.ts';
import { type CrossCheck, entriesOf, isFields } from '../schema/problem.ts';
import { isLoopback } from '../values/endpoint.ts';
import * as fields from './fields.ts';
import { oneOf } from './one-of.ts';

interface ListPreset {
  readonly urls: readonly string[];
  readonly title: string;
}

/** Lists that are known by name. Their terms are in docs/tcp-guard.md. */
export const listPresets = {
  'spamhaus-drop': {
    title: 'Spamhaus DROP',
    urls: ['https://www.spamhaus.org/drop/drop_v4.json', 'https://www.spamhaus.org/drop/drop_v6.json'],
  },
  'blocklist-de': { title: 'blocklist.de', urls: ['https://lists.blocklist.de/lists/all.txt'] },
  'tor-exits': { title: 'exits of Tor', urls: ['https://check.torproject.org/torbulkexitlist'] },
} as const satisfies Record<string, ListPreset>;
export type ListPresetName = keyof typeof listPresets;

const longestUrl = 8000;
const mostLists = 32;

/** Whether lists are read from there: over https, or from this machine. */
export function isListUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1')))
  );
}

const presetNames = Object.keys(listPresets) as ListPresetName[];

const source = () =>
  z.strictObject({
    preset: optional(z.enum(presetNames), 'A list that is known by name.'),
    file: optional(fields.hostPath(), 'A file.'),
    url: optional(
      refined(longestUrl, (url) =>
        isListUrl(url) ? undefined : 'expected an https:// URL, or http:// of a loopback address',
      ),
      'An address, which is read again after each interval.',
    ),
    interval: defaulted(
      fields.duration('5m', '7d'),
      '6h',
      'Time between two reads. Most publishers ask for at least an hour.',
    ),
    action: defaulted(
      z.enum(['ban', 'detect']),
      'ban',
      'ban refuses the addresses wherever bans hold; detect only counts their connections.',
    ),
    column: optional(
      integer(1, 64),
      'For CSV: the column with the addresses, from 1; separators are comma, semicolon and tab.',
    ),
  });

export const listsSection = () => list(source(), mostLists);

export type ListSource = z.output<ReturnType<typeof source>>;

const places = ['preset', 'file', 'url'] as const;

/** Identifies a list: the name of its preset, its file or its address. */
export const listName = ({ preset, file, url }: ListSource): string => preset ?? file ?? url ?? '';

/** What a list is called in logs, problems and notices: its name without the query, in which publishers expect keys. */
export function listTitle(source: ListSource): string {
  const url = source.url === undefined ? null : URL.parse(source.url);
  return url ? `${url.origin}${url.pathname}` : listName(source);
}

export const checkLists: CrossCheck = function* (file) {
  const names = entriesOf(file.lists).map((entry) => (isFields(entry) ? listName(entry as ListSource) : ''));
  for (const [index, name] of names.entries())
    if (name !== '' && names.indexOf(name) < index)
      yield { kind: 'conflict', message: 'the list is there twice', path: ['lists', index] };
  for (const [index, entry] of entriesOf(file.lists).entries())
    if (isFields(entry)) yield* oneOf(entry, ['lists', index], { keys: places, usual: 'url', noun: 'list' });
};
