/** Says which number a text in place of a number means. */
import { meantDuration, parseDuration } from '../values/duration.ts';
import type { SchemaPlace } from './key-hints.ts';
import { isValidAt, rangeAt } from './schema-keys.ts';

const bytesOf = (text: string): number => {
  const { amount, unit = '' } = /^(?<amount>\d{1,9}) ?(?<unit>[kmg]?)i?b?$/i.exec(text)?.groups ?? {};
  return Number(amount) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
};

const msOf = (text: string): number => parseDuration(meantDuration(text) ?? text) ?? Number.NaN;

interface Unit {
  /** The end of the names of its keys. */
  readonly keys: RegExp;
  readonly name: string;
  /** Returns the number that a text with another unit means, or NaN. */
  readonly read: (text: string) => number;
}

const units: readonly Unit[] = [
  { keys: /Bytes$/, name: 'bytes', read: bytesOf },
  { keys: /Mb$/, name: 'MiB', read: (text) => bytesOf(text) / 1024 ** 2 },
  { keys: /Ms$|_ms$/, name: 'milliseconds', read: msOf },
  { keys: /Seconds$/, name: 'seconds', read: (text) => msOf(text) / 1000 },
  { keys: /Minutes$/, name: 'minutes', read: (text) => msOf(text) / 60_000 },
];

/** Returns what to write: the number, without its quotes or in the unit of the key, or else the range. */
export function numberHint(value: string, { schema, path }: SchemaPlace): string {
  if (/^-?\d{1,15}$/.test(value)) return `write ${value} without quotes`;
  const unit = units.find(({ keys }) => keys.test(String(path.at(-1))));
  const meant = unit?.read(value);
  if (unit && isValidAt(schema, path, meant)) return `write ${meant}: the unit is ${unit.name}`;
  return `write a number from ${rangeAt(schema, path)}${unit ? `: the unit is ${unit.name}` : ', without a unit'}`;
}
