/** JA4, a fingerprint of TLS clients over TCP (FoxIO, technical_details/JA4.md). */
import { hash } from 'node:crypto';
import { type ClientHello, extensionTypes } from '../framing/tls-hello.ts';

const versionWords: Readonly<Record<number, string>> = {
  772: '13',
  771: '12',
  770: '11',
  769: '10',
  768: 's3',
};
const digestLength = 12;
const emptyDigest = '0'.repeat(digestLength);
const mostCounted = 99;
/** Extensions that the first part of the fingerprint already covers. */
const namedExtensions: readonly number[] = [extensionTypes.serverName, extensionTypes.alpn];

const hexWords = (values: readonly number[]) => values.map((value) => value.toString(16).padStart(4, '0'));
const digest = (text: string) => hash('sha256', text).slice(0, digestLength);
const countText = (values: readonly number[]) => String(Math.min(mostCounted, values.length)).padStart(2, '0');

/**
 * The first and last character of a protocol name. If either is not alphanumeric, the first and last digit of the name
 * in hexadecimal. `00` without a protocol.
 */
function protocolWord(protocol: string | undefined): string {
  if (!protocol) return '00';
  const isPlain =
    /^[0-9A-Za-z]$/.test(protocol.charAt(0)) && /^[0-9A-Za-z]$/.test(protocol.charAt(protocol.length - 1));
  const text = isPlain ? protocol : Buffer.from(protocol, 'latin1').toString('hex');
  return text.charAt(0) + text.charAt(text.length - 1);
}

function extensionDigest({ extensions, signatureAlgorithms }: ClientHello): string {
  const sorted = hexWords(extensions.filter((type) => !namedExtensions.includes(type))).sort();
  if (sorted.length === 0) return emptyDigest;
  const algorithms = signatureAlgorithms.length > 0 ? `_${hexWords(signatureAlgorithms).join(',')}` : '';
  return digest(sorted.join(',') + algorithms);
}

export function ja4(hello: ClientHello): string {
  const { legacyVersion, supportedVersions, ciphers, extensions, protocols } = hello;
  const version = supportedVersions.length > 0 ? Math.max(...supportedVersions) : legacyVersion;
  const name = extensions.includes(extensionTypes.serverName) ? 'd' : 'i';
  const traits = `t${versionWords[version] ?? '00'}${name}${countText(ciphers)}${countText(extensions)}${protocolWord(protocols[0])}`;
  const cipherDigest = ciphers.length > 0 ? digest(hexWords(ciphers).sort().join(',')) : emptyDigest;
  return `${traits}_${cipherDigest}_${extensionDigest(hello)}`;
}
