/** Reads lines of a gateway's event file. */
import { formatAddress, parseAddress } from '../../contract/values/address.ts';

/** A blocked request. Detections and summaries do not count against an address. */
const counted = 'guard_block';
const longestAddress = 64;
const longestTime = 40;

export interface GatewayEvent {
  /** Address of the client in canonical text. */
  readonly ip: string;
  /** When the request was blocked, milliseconds since the epoch. Undefined: the line has no time. */
  readonly at: number | undefined;
}

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Undefined: the line does not count, such as one of another program. */
export function readEvent(line: string): GatewayEvent | undefined {
  if (!line.includes(counted)) return undefined;
  const { type, client_ip, timestamp } = parsed(line);
  if (type !== counted || typeof client_ip !== 'string' || client_ip.length > longestAddress) return undefined;
  const address = parseAddress(client_ip);
  if (!address) return undefined;
  const at = typeof timestamp === 'string' && timestamp.length <= longestTime ? Date.parse(timestamp) : Number.NaN;
  return { ip: formatAddress(address), at: Number.isNaN(at) ? undefined : at };
}
