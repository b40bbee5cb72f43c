/** Makes recorded requests the same in each run: no random value, time or port remains. */
import type { RecordedRequest } from '../../conformance/applications/recorded.ts';

/** Longest recorded body in bytes. Longer ones are cut: what follows are the bytes of scripts and pictures. */
const longestBody = 8192;

/** Values that applications choose at random or by the clock, and what replaces them. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/(?<=----WebKitFormBoundary)[A-Za-z0-9]{16}/g, 'AAAAAAAAAAAAAAAA'],
  // Digests, identifiers and keys in hexadecimal digits.
  [/(?<![0-9a-f])[0-9a-f]{16,}(?![0-9a-f])/gi, '0'.repeat(32)],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '00000000-0000-0000-0000-000000000000'],
  // Unix time in seconds, milliseconds or with a fraction.
  [/(?<![0-9])1[6-9][0-9]{8}(?:[0-9]{3})?(?:\.[0-9]+)?(?![0-9])/g, '1700000000'],
  // The time at which a server started, as the version of its files.
  [/(?<=[?&]v=)20[0-9]{12}(?![0-9])/g, '20240101000000'],
  // Values of parameters that carry a secret of the session.
  [
    /(?<=(?:nonce|token|csrf|xsrf|sectok|edittime|starttime|wpEditToken|AuthState|SAMLRequest|_unlock|nocache|cachebust|set_session|noplugin)(?:=|%3D|"\s*:\s*"|"\r\n\r\n))[\w.%+:\\/=~-]+/gi,
    'secret',
  ],
  // Names of links in Shaarli, which are hashes of the time.
  [/(?<=\/shaare\/(?:private\/)?)(?=[\w-]*[A-Z_-])[\w-]{6}(?![\w-])/g, 'AbCd-1'],
  // Words of 24 or more letters and digits with both cases.
  [/(?<![\w%-])(?=\w*[0-9])(?=\w*[A-Z])(?=\w*[a-z])\w{24,}(?!\w)/g, 'word'],
];

const withoutChanges = (text: string, port: string): string =>
  changing.reduce(
    (changed, [pattern, replacement]) => changed.replace(pattern, replacement),
    text.replaceAll(new RegExp(`(?<=localhost(?::|%3A))${port}`, 'gi'), '8080'),
  );

/** Returns the lines of the recording, each distinct request once, in the order of their first use. */
export function recordingOf(requests: readonly RecordedRequest[], port: number): string[] {
  const stable = (text: string): string => withoutChanges(text, String(port));
  const lines = requests.map(({ method, target, type, body }) =>
    JSON.stringify({
      method,
      target: stable(target),
      ...(type !== undefined && { type: stable(type) }),
      ...(body !== undefined && { body: stable(body).slice(0, longestBody) }),
    }),
  );
  return [...new Set(lines)];
}
