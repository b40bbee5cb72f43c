/** The facts of a ClientHello, and the reason why the options of a service refuse it. */
import { fact } from '../framing/events.ts';
import { hostNames } from '../framing/host-names.ts';
import type { ClientHello } from '../framing/tls-hello.ts';
import type { InspectorEvent, ServiceConfig } from '../inspector.ts';

type Options = NonNullable<ServiceConfig['tls']>;

const tls12 = 0x0303;
const versionNames: Readonly<Record<number, string>> = { 769: '1.0', 770: '1.1', 771: '1.2', 772: '1.3' };
const versionNumbers = { '1.0': 0x0301, '1.1': 0x0302, '1.2': 0x0303, '1.3': 0x0304 } as const;

/**
 * The best version that a server can agree to, or 0. With the extension supported_versions, the version field must be
 * that of TLS 1.2 (RFC 8446 4.2.1). A server that does not support the extension agrees to a lower value of the field.
 * Servers ignore unknown versions.
 */
const bestVersion = ({ legacyVersion, supportedVersions }: ClientHello) =>
  supportedVersions.length > 0 && legacyVersion >= tls12
    ? Math.max(0, ...supportedVersions.filter((version) => version in versionNames))
    : Math.min(legacyVersion, tls12);

export function* factsOf(hello: ClientHello, fingerprint: string): Generator<InspectorEvent> {
  if (hello.serverName !== undefined) yield fact('sni', hello.serverName);
  if (hello.protocols.length > 0) yield fact('alpn', hello.protocols.join(','));
  yield fact('tls_version', versionNames[bestVersion(hello)] ?? 'unknown');
  yield fact('ja4', fingerprint);
}

export function refusalReason(
  options: Options | undefined,
  hello: ClientHello,
  fingerprint: string,
): string | undefined {
  if (!options) return undefined;
  const { allow_sni, deny_sni, min_version, deny_ja4 } = options;
  const name = hello.serverName ?? '';
  if (hostNames(deny_sni)(name) || (allow_sni.length > 0 && !hostNames(allow_sni)(name))) return 'sni';
  if (min_version !== undefined && bestVersion(hello) < versionNumbers[min_version]) return 'tls_version';
  return deny_ja4.includes(fingerprint) ? 'ja4' : undefined;
}
