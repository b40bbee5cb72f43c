/** The ban list of a sandbox. */
import { addressDigits, banListEdge, rangeBytes, rangeLines } from '../../contract/policy/ban-list.ts';
import { type Address, formatAddress, parseAddress } from '../../contract/values/address.ts';
import { type BanTable, openBanTable } from '../../engine/ban-list.ts';
import { banListFile } from '../../engine/ban-list-file.ts';

export interface SandboxBans {
  readonly file: Buffer;
  readonly table: BanTable;
  /** A client whose ban is in force. Absent: the list has none. */
  readonly banned?: string;
}

const mapped = 0xffffn << 32n;

const addressOf = (value: bigint): Address =>
  value >> 32n === 0xffffn ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };

/** Returns the first address of the first range whose ban is in force. */
function firstBanned(file: Buffer, table: BanTable): string | undefined {
  for (let index = 0; index < table.count; index++) {
    const at = banListEdge + index * rangeBytes;
    const address = addressOf(BigInt(`0x${file.toString('latin1', at, at + addressDigits)}`));
    if (table.has(address)) return formatAddress(address);
  }
  return undefined;
}

/** @throws Error for a file that no guard would use */
export function sandboxBans(file: Buffer): SandboxBans {
  const table = openBanTable(file);
  if ('fault' in table) throw new Error(table.fault);
  const banned = firstBanned(file, table);
  return { file, table, ...(banned !== undefined && { banned }) };
}

/** Documentation addresses (RFC 5737). Probes are sent from others. */
const probed = ['203.0.113.66'];

const daySeconds = 86_400;

/** Returns the list of a sandbox without a list of the user: it has an address for the probes, or none. */
export function ownBans(hasProbes: boolean, now: number): SandboxBans {
  const written = Math.floor(now / 1000);
  const ranges = (hasProbes ? probed : []).map((text) => {
    const start = mapped | (parseAddress(text)?.value ?? 0n);
    return rangeLines({ start, end: start, until: written + daySeconds });
  });
  return sandboxBans(banListFile(ranges, written));
}
