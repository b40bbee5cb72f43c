/** Random addresses of clients and of proxies, close to each other, so that ranges and networks often contain them. */
import { type Address, formatAddress, type Network, parseNetwork, widths } from '../../contract/values/address.ts';
import { allPresets } from '../../contract/values/presets.ts';
import type { Random } from './random.ts';

const otherNetworks = ['8.8.4.0/24', '192.0.2.0/24', '2001:db8::/64', '64:ff9b::/96', '::/64'];

/** The first and the last network of each preset, and others. */
const networks: readonly Network[] = [
  ...otherNetworks,
  ...allPresets().flatMap(({ networks: all }) => all.slice(0, 2).concat(all.slice(-2))),
].flatMap((text) => parseNetwork(text) ?? []);

/** Addresses of a network that are used: as many from its start on. */
const usedAddresses = 256;

/** Returns the first addresses of each network. */
export const usedStarts: readonly Address[] = networks.map(({ family, prefix, length }) => ({
  family,
  value: prefix << BigInt(widths[family] - length),
}));

/** Returns one of the used addresses, or an address beside it. */
export function randomAddress(random: Random, starts: readonly Address[] = usedStarts): Address {
  const { family, value } = random.pick(starts);
  const other = value + BigInt(random.integer(usedAddresses + 2)) - 1n;
  return { family, value: other < 0n ? value : other };
}

/** Returns a network of used addresses, or the name of a preset. */
export function randomNetwork(random: Random, presets: readonly string[]): string {
  if (random.oneIn(2)) return random.pick(presets);
  const address = randomAddress(random);
  return `${formatAddress(address)}/${widths[address.family] - random.integer(9)}`;
}

const plainForm = (text: string): string => text;
const hexOf = (value: bigint): string => value.toString(16);

/** How an address is written. The last form is not an address. */
const forms: readonly ((text: string, address: Address) => string)[] = [
  ...Array.from({ length: 6 }, () => plainForm),
  (text) => ` ${text}\t`,
  (text, { family }) => (family === 4 ? `${text}:443` : `[${text}]:443`),
  (text, { family }) => (family === 4 ? `::ffff:${text}` : `[${text}]`),
  (text, { family, value }) =>
    family === 4 ? `::FFFF:${hexOf(value >> 16n)}:${hexOf(value & 0xffffn)}` : text.toUpperCase(),
  (text, { family }) => (family === 4 ? `0${text}` : `${text}%eth0`),
];

/** Returns an entry of X-Forwarded-For, which a proxy can have written with a port, or a client wrongly. */
export function forwardedText(random: Random): string {
  const address = randomAddress(random);
  return random.pick(forms)(formatAddress(address), address);
}
