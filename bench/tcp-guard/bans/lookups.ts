import { BanTable } from '../../../daemon/bans/table.ts';
import { createNumbers, sampleAddresses, sampleRecord } from '../../../daemon/bans/testing/samples.ts';
import type { Row } from '../../measure/row.ts';
import { measureUndisturbed } from '../../measure/steal.ts';

const bannedCount = 100_000;
/**
 * A round looks up few addresses, so that their texts stay in the processor's cache. The text of a new client is there
 * too.
 */
const [lookupsPerRound, lookupRounds] = [1000, 1000];
const [lookupBudget, memoryBudget] = [200, 40];

function tableOf(addresses: readonly string[]): { table: BanTable; megabytes: number } {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const table = new BanTable();
  for (const ip of addresses) table.set(sampleRecord(ip, Number.MAX_SAFE_INTEGER));
  globalThis.gc?.();
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return { table, megabytes: bytes / 2 ** 20 };
}

/** Returns the nanoseconds of one lookup: the lower quartile of the rounds, because other work only adds time. */
function lookupNanoseconds(table: BanTable, questions: readonly string[]): number {
  const times = Array.from({ length: lookupRounds }, () => {
    const start = process.hrtime.bigint();
    for (const ip of questions) table.covers(ip, 1);
    return Number(process.hrtime.bigint() - start) / questions.length;
  });
  return times.toSorted((a, b) => a - b)[lookupRounds >> 2] as number;
}

function sampleOf(addresses: readonly string[], isIncluded: (ip: string) => boolean): string[] {
  const fitting = addresses.filter((ip) => !ip.includes('/') && isIncluded(ip));
  return Array.from({ length: lookupsPerRound }, (_, index) => fitting[(index * 997) % fitting.length] as string);
}

/** Returns addresses that no sample ban covers. */
function unbannedAddresses(family: 4 | 6): string[] {
  const below = createNumbers(3);
  const groups = () => Array.from({ length: 6 }, () => below(65_536).toString(16)).join(':');
  const ipv4 = () => `100.64.${below(256)}.${below(256)}`;
  return Array.from({ length: lookupsPerRound }, family === 4 ? ipv4 : () => `2a01:4f8:${groups()}`);
}

export async function benchLookups(): Promise<Row[]> {
  const addresses = [...sampleAddresses(bannedCount)];
  const { table, megabytes } = tableOf(addresses);
  const isIpv6 = (ip: string) => ip.includes(':');
  const kinds: [name: string, questions: string[]][] = [
    ['a strange IPv4 address', unbannedAddresses(4)],
    ['a banned IPv4 address', sampleOf(addresses, (ip) => !isIpv6(ip))],
    ['a strange IPv6 address', unbannedAddresses(6)],
    ['a banned IPv6 address', sampleOf(addresses, isIpv6)],
  ];
  const rows: Row[] = [];
  for (const [name, list] of kinds) {
    const nanoseconds = await measureUndisturbed(() => lookupNanoseconds(table, list));
    rows.push({
      name: `bans, look-up of ${name}`,
      measured: `${nanoseconds.toFixed(0)} ns`,
      budget: `< ${lookupBudget} ns`,
      holds: nanoseconds < lookupBudget,
    });
  }
  const memory: Row = {
    name: `bans, memory of ${bannedCount}`,
    measured: `${megabytes.toFixed(1)} MB`,
    budget: `< ${memoryBudget} MB`,
    holds: megabytes < memoryBudget,
  };
  return [...rows, memory];
}
