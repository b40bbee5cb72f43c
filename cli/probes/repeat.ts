/**
 * Builds a command line that repeats a request: with curl if curl sends it unchanged, otherwise with nc, or openssl for
 * TLS.
 */
import { quote } from '../program/quote.ts';
import type { ProbeRequest } from './probe.ts';
import type { Server } from './raw-client.ts';
import { headersOf, requestBytes } from './request-bytes.ts';

/** Targets that curl sends unchanged. */
const curlTarget = /^\/[!"$-~]*$/;
const curlValue = /^[ -~]*$/;

function isForCurl({ target, host, headers, body = '', withheld, method }: ProbeRequest): boolean {
  const sent = host === undefined ? headers : [['Host', host] as const, ...headers];
  const isPlain =
    curlTarget.test(target) && sent.every(([name, value]) => curlValue.test(name + value) && value !== '');
  return isPlain && !withheld && method !== 'HEAD' && /^[\n -~]*$/.test(body);
}

function curlLine(request: ProbeRequest, index: number, { host, port, isTls }: Server): string {
  const headers = headersOf(request, index).filter(([name]) => name !== 'Content-Length');
  const own = request.host === undefined ? headers : [['Host', request.host] as const, ...headers];
  const words = [
    ...['curl', '-sS', '-i', '-g', '--path-as-is', '-X', request.method],
    ...own.flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(request.body === undefined ? [] : ['--data-raw', request.body]),
    `${isTls ? 'https' : 'http'}://${bracketedHost(host)}:${port}${request.target}`,
  ];
  return words.map(quote).join(' ');
}

const bracketedHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Escapes bytes that are special to printf(1) or the shell. */
function printfText(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => (/[ !"#$&(-[\]-~]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : octalEscape(byte)))
    .join('');
}

const octalEscape = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`;

/** Returns the command line. For nc and openssl, the last request has `Connection: close`, so that the command ends. */
export function repeatLine(requests: readonly ProbeRequest[], index: number, address: Server): string {
  const [only] = requests;
  if (requests.length === 1 && only && isForCurl(only)) return curlLine(only, index, address);
  const host = `${bracketedHost(address.host)}:${address.port}`;
  const sent = requests.map((request, place) => {
    const isLast = place === requests.length - 1 && !request.withheld;
    const headers = isLast ? [...request.headers, ['Connection', 'close'] as const] : request.headers;
    return requestBytes({ ...request, headers }, index + place, host);
  });
  const client = address.isTls ? `openssl s_client -quiet -connect ${host}` : `nc ${address.host} ${address.port}`;
  return `printf '${printfText(Buffer.concat(sent))}' | ${client}`;
}
