/** Who a neighbour says its client is. */
import { type Client, clientOf } from '../address/client.ts';
import type { Connection } from '../plane/plane.ts';
import { longestHeader, parseHeader } from './header.ts';

export type Proxied =
  | { readonly ok: true; readonly client: Client }
  /** `lost`: the neighbour left without a byte. */
  | { readonly ok: false; readonly why: 'bad' | 'lost' };

/** Takes the header off the connection. `neighbour` is the client of a header that names nobody. */
export async function proxiedClient(connection: Connection, neighbour: Client, timeoutMs: number): Promise<Proxied> {
  const isEnough = (bytes: Uint8Array) => parseHeader(bytes).kind !== 'more';
  const { bytes } = await connection.peek({ limit: longestHeader, timeoutMs, isEnough });
  const header = parseHeader(bytes);
  if (header.kind !== 'header') return { ok: false, why: bytes.length === 0 ? 'lost' : 'bad' };
  connection.skip(header.length);
  const { source } = header;
  return { ok: true, client: source ? clientOf(source.address, source.port) : neighbour };
}
