/** Parses and formats replies that announce the endpoint of a data connection. */
import type { DataEndpoint } from '../inspector.ts';

/** Six numbers: h1,h2,h3,h4,p1,p2. Clients search the text for them, with or without parentheses (RFC 1123 4.1.2.6). */
const hostPort = /(?<![\d,])(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})(?![\d,])/;
/** RFC 2428 3: the delimiter is any printable character. The two fields before the port are empty. */
const portOnly = /\(([\x21-\x7e])\1\1(\d{1,5})\1\)/;

const largestByte = 255;
const largestPort = 65_535;
const isPort = (port: number): boolean => port > 0 && port <= largestPort;

function fromHostPort(text: string): DataEndpoint | undefined {
  const bytes = hostPort.exec(text)?.slice(1).map(Number) ?? [];
  const [, , , , high = 0, low = 0] = bytes;
  const port = high * (largestByte + 1) + low;
  const isValid = bytes.every((byte) => byte <= largestByte) && isPort(port);
  return isValid ? { host: bytes.slice(0, 4).join('.'), port } : undefined;
}

function fromPortOnly(text: string): DataEndpoint | undefined {
  const port = Number(portOnly.exec(text)?.[2] ?? 0);
  return isPort(port) ? { host: undefined, port } : undefined;
}

interface PassiveReply {
  readonly verb: string;
  readonly parse: (text: string) => DataEndpoint | undefined;
  readonly format: (host: string, port: number) => string;
}

/** The replies by code. 228, the reply to LPSV (RFC 1639 4), is missing: no client in use sends LPSV. */
export const passiveReplies: Readonly<Record<string, PassiveReply>> = {
  227: {
    verb: 'PASV',
    parse: fromHostPort,
    format: (host, port) => `Entering Passive Mode (${host.replaceAll('.', ',')},${port >> 8},${port & largestByte}).`,
  },
  229: {
    verb: 'EPSV',
    parse: fromPortOnly,
    format: (_host, port) => `Entering Extended Passive Mode (|||${port}|)`,
  },
};
