import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAddress, parseAddress } from '../../contract/values/address.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';
import { type Banned, bannedRanges } from './ranges.ts';

const day = 86_400_000;
const prefixOf = (text: string): Prefix => {
  const prefix = readPrefix(text);
  assert(prefix, text);
  return prefix;
};
const ban = (text: string, until: number): Banned => ({ prefix: prefixOf(text), until });

const ipv4Start = 0xffffn << 32n;
const textOf = (value: bigint) =>
  value >> 32n === 0xffffn
    ? formatAddress({ family: 4, value: value - ipv4Start })
    : formatAddress({ family: 6, value });

/** Returns each range as `start-end until`, with the end of the ban in seconds. */
const shown = (banned: readonly Banned[], exempt: readonly string[] = [], latest = day): string[] =>
  [...bannedRanges(banned, exempt.map(prefixOf), latest)].map(
    ({ start, end, until }) => `${textOf(start)}-${textOf(end)} ${until}`,
  );

describe('the ranges of a published ban list', () => {
  it('are sorted, IPv4 within IPv6', () =>
    assert.deepEqual(shown([ban('2001:db8::/64', 1000), ban('10.0.0.1', 2000), ban('::2', 3000)]), [
      '::2-::2 3',
      '10.0.0.1-10.0.0.1 2',
      '2001:db8::-2001:db8::ffff:ffff:ffff:ffff 1',
    ]));
  it('have the latest end where bans overlap', () =>
    assert.deepEqual(
      shown([ban('10.0.0.0/30', 5000), ban('10.0.0.1', 9000), ban('10.0.0.2', 1000), ban('10.0.0.0/31', 5000)]),
      ['10.0.0.0-10.0.0.0 5', '10.0.0.1-10.0.0.1 9', '10.0.0.2-10.0.0.3 5'],
    ));
  it('are joined where their ends are equal', () =>
    assert.deepEqual(shown([ban('10.0.0.1', 5000), ban('10.0.0.2', 4500), ban('10.0.0.3', 6000)]), [
      '10.0.0.1-10.0.0.2 5',
      '10.0.0.3-10.0.0.3 6',
    ]));
  it('leave exempt addresses out', () =>
    assert.deepEqual(shown([ban('10.0.0.0/30', 5000), ban('10.0.0.1', 9000)], ['10.0.0.1', '10.0.0.3']), [
      '10.0.0.0-10.0.0.0 5',
      '10.0.0.2-10.0.0.2 5',
    ]));
  it('leave bans within exempt networks out', () =>
    assert.deepEqual(shown([ban('10.0.0.1', 5000), ban('10.0.0.0/24', 5000)], ['10.0.0.0/24']), []));
  it('end at the latest time, also permanent bans', () =>
    assert.deepEqual(shown([ban('10.0.0.1', Number.POSITIVE_INFINITY)], [], 7000), ['10.0.0.1-10.0.0.1 7']));
  it('ban no IPv4 address by a network of IPv6', () =>
    assert.deepEqual(shown([ban('::/32', 5000), ban('10.0.0.1', 6000)]), [
      `::-${textOf(ipv4Start - 1n)} 5`,
      '10.0.0.1-10.0.0.1 6',
      `${textOf(ipv4Start + (1n << 32n))}-::ffff:ffff:ffff:ffff:ffff:ffff 5`,
    ]));
});

/** Numbers from 0 to 1, the same in each run. */
function createRandom(): () => number {
  let state = 12_345;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('random bans', () => {
  it('hold for exactly the addresses that one of them covers', () => {
    const random = createRandom();
    const pick = (most: number) => Math.floor(random() * most);
    const network = () => (pick(2) ? `10.0.0.${pick(64)}/${24 + pick(9)}` : `2001:db8::${pick(64)}/${120 + pick(9)}`);
    const addresses = Array.from({ length: 66 }, (_, index) => [`10.0.0.${index}`, `2001:db8::${index}`]).flat();
    const contains = (prefix: Prefix, value: bigint) => {
      const [one] = bannedRanges([{ prefix, until: 1 }], [], day);
      return one !== undefined && one.start <= value && value <= one.end;
    };
    for (let round = 0; round < 300; round++) {
      const banned = Array.from({ length: pick(12) }, () => ban(network(), 1000 * (1 + pick(9))));
      const exempt = Array.from({ length: pick(4) }, () => prefixOf(network()));
      const ranges = [...bannedRanges(banned, exempt, day)];
      for (const [index, { start, end }] of ranges.entries())
        assert(start <= end && start > (ranges[index - 1]?.end ?? -1n), 'sorted and disjoint');
      for (const text of addresses) {
        const address = parseAddress(text);
        assert(address);
        const value = address.family === 4 ? ipv4Start | address.value : address.value;
        const ends = banned.filter(({ prefix }) => contains(prefix, value)).map(({ until }) => until / 1000);
        const expected = exempt.some((prefix) => contains(prefix, value)) ? 0 : Math.max(0, ...ends);
        const found = ranges.find(({ start, end }) => start <= value && value <= end)?.until ?? 0;
        assert.equal(found, expected, `${text} in round ${round}`);
      }
    }
  });
});
