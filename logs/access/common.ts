/**
 * Parses lines of the Common Log Format and of formats like it: `combined`, `common` and `vhost_combined` of nginx and
 * Apache, and the format of Traefik.
 */
import { decodeEscapes, hostOf, noHeaders, type ParsedLine, parseRequestLine, presentText } from './request.ts';

const [backslash, space] = [0x5c, 0x20];

/** Returns the index of the quotation mark that ends the text from `start`, or -1. */
function closingQuote(line: string, start: number): number {
  let at = line.indexOf('"', start);
  while (at >= 0) {
    let first = at;
    while (first > start && line.charCodeAt(first - 1) === backslash) first -= 1;
    // Traefik does not escape quotation marks in a query, so a space must follow.
    const isEnd = (at - first) % 2 === 0 && (at + 1 === line.length || line.charCodeAt(at + 1) === space);
    if (isEnd) return at;
    at = line.indexOf('"', at + 1);
  }
  return -1;
}

const addressPattern = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$/;

interface Sender {
  readonly address: string | undefined;
  readonly host: string | undefined;
  readonly peer: string | undefined;
}

/**
 * Parses `address - user`, or `host:port address - user`. Apache can log a name instead of an address. Of two addresses the
 * first can be a Host header, and the second what the client says of its user (RFC 1413), so neither is certainly the peer.
 */
function senderOf(line: string, end: number): Sender {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  const word = line.slice(0, first);
  const next = second > 0 && second < end ? line.slice(first + 1, second) : '';
  const address = addressPattern.test(next) ? next : undefined;
  if (addressPattern.test(word))
    return { address: word, host: undefined, peer: address === undefined ? word : undefined };
  return { address, host: address === undefined ? undefined : hostOf(word), peer: address };
}

/** Returns status and referrer of a line. The format `common` has no referrer. */
function responseOf(line: string, start: number) {
  const status = Number.parseInt(line.slice(start, start + 3), 10) || 0;
  const open = line.indexOf(' "', start);
  if (open < 0) return { status, referrer: undefined };
  const end = closingQuote(line, open + 2);
  return { status, referrer: end < 0 ? undefined : presentText(decodeEscapes(line.slice(open + 2, end))) };
}

/** Parses a line. @param isEscaped true when the server escapes bytes of the request line */
function readCommon(line: string, isEscaped: boolean): ParsedLine {
  const open = line.indexOf('"');
  if (open < 6 || !line.startsWith('] ', open - 2)) return undefined;
  const time = line.lastIndexOf(' [', open);
  const end = closingQuote(line, open + 1);
  if (time <= 0 || end < 0) return undefined;
  const text = line.slice(open + 1, end);
  const request = parseRequestLine(isEscaped ? decodeEscapes(text) : text);
  if (!request) return 'notRequest';
  const { status, referrer } = responseOf(line, end + 2);
  const { address, host, peer } = senderOf(line, time);
  const { method, target } = request;
  // The first word of a line of Traefik can be the X-Forwarded-For of the client.
  const known = isEscaped ? peer : undefined;
  return { method, target, host, address, peer: known, status, referrer, headers: noHeaders };
}

export const readCombined = (line: string): ParsedLine => readCommon(line, true);

/** Lines of Traefik end with a count of requests, router, server and duration. */
const isTraefik = (line: string): boolean =>
  line.endsWith('ms') && / \d+ "[^"]*" "[^"]*" -?\d+ms$/.test(line.slice(-2048));

export const readTraefikCommon = (line: string): ParsedLine => (isTraefik(line) ? readCommon(line, false) : undefined);
