/** Protocols to which the connection of a request may switch (docs/engine.md, "Upgrades"). */
import { limits } from '../contract/policy/limits.ts';
import { strip } from './bytes.ts';
import type { Headers } from './request.ts';

export interface Upgrades {
  /** The first protocol that the policy does not allow, or the first bytes of Upgrade lines that are too long. */
  readonly refused?: string;
  /** True for a tunnel that the guards refuse: a CONNECT has no meaning without its tunnel. */
  readonly ends?: boolean;
  /** The headers for the backend. */
  readonly headers: Headers;
}

/** Returns all lines of a header as one list. `name` is in lower case. */
const textOf = (headers: Headers, name: string): string =>
  headers.flatMap(([other, value]) => (other.toLowerCase() === name ? [value] : [])).join(',');

/** Returns the entries of a list header (RFC 9110 5.6.1) that are not empty. */
const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => strip(entry, ' \t'))
    .filter((entry) => entry !== '');

type IsKept = (entry: string) => boolean;

/** Keeps the entries of a list header that are kept, in its first line. Removes a header of more than `longest` bytes. */
function keepEntries(headers: Headers, name: string, longest: number, isKept: IsKept): Headers {
  const text = textOf(headers, name);
  const kept = text.length > longest ? [] : entriesOf(text).filter(isKept);
  const isNamed = ([other]: Headers[number]): boolean => other.toLowerCase() === name;
  const first = headers.findIndex(isNamed);
  return headers.flatMap((header, index) => {
    if (!isNamed(header)) return [header];
    return index === first && kept.length > 0 ? [[header[0], kept.join(', ')] as const] : [];
  });
}

/**
 * Removes the protocols that the policy does not allow, and what belongs to them: HTTP2-Settings belongs to h2c, and the
 * option `upgrade` in Connection to the last protocol.
 */
export function keptUpgrades(headers: Headers, allowUpgrades: readonly string[]): Upgrades {
  const allowed = new Set(allowUpgrades.map((protocol) => protocol.toLowerCase()));
  const isAllowed: IsKept = (protocol) => allowed.has(protocol.toLowerCase());
  const text = textOf(headers, 'upgrade');
  const isLong = text.length > limits.upgradeBytes;
  const refused = isLong ? text.slice(0, limits.upgradeBytes) : entriesOf(text).find((entry) => !isAllowed(entry));
  if (refused === undefined) return { headers };
  const upgraded = keepEntries(headers, 'upgrade', limits.upgradeBytes, isAllowed);
  const hasUpgrade = textOf(upgraded, 'upgrade') !== '';
  const isGone = (name: string): boolean =>
    (name === 'http2-settings' && !allowed.has('h2c')) || (name === 'upgrade' && !hasUpgrade);
  const settled = upgraded.filter(([name]) => !isGone(name.toLowerCase()));
  const kept = keepEntries(settled, 'connection', limits.connectionBytes, (option) => !isGone(option.toLowerCase()));
  return { refused, headers: kept };
}
