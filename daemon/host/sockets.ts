/** The TCP sockets of the host, from the tables of the kernel. Empty on systems other than Linux. */
import { canonicalAddress } from '../../contract/values/address.ts';
import { tcpTables } from '../../platform/proc.ts';

export interface SocketRow {
  readonly local: string;
  readonly localPort: number;
  readonly remote: string;
  readonly isListening: boolean;
  readonly isEstablished: boolean;
  readonly inode: string;
}

/** The start of a row of proc_pid_net(5): number, local address, remote address, state, five columns, inode. */
const rowForm =
  /^ *\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4} ([0-9A-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;

/** The bytes of each 32-bit word are in the order of the host: reversed on the processors that Node supports. */
function addressOf(hexadecimal: string): string {
  const bytes = Buffer.from(hexadecimal, 'hex').swap32();
  const text = bytes.length === 4 ? bytes.join('.') : (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
  return canonicalAddress(text) ?? text;
}

/** @param table has the format of /proc/self/net/tcp or tcp6 */
export const readSockets = (table: string): SocketRow[] =>
  [...table.matchAll(rowForm)].map(([, local = '', port = '', remote = '', state, inode = '']) => ({
    local: addressOf(local),
    localPort: Number.parseInt(port, 16),
    remote: addressOf(remote),
    isListening: state === '0A',
    isEstablished: state === '01',
    inode,
  }));

export const hostSockets = (): SocketRow[] => tcpTables().flatMap(readSockets);
