import { parseAddress } from '../values/address.ts';
import { refined } from './fields.ts';

const longestUrl = 8000; // RFC 9110 4.1 recommends that all parties support this length
const webUrl =
  /^https?:\/\/(?:(?<name>[A-Za-z0-9._~-]+)|\[(?<ipv6>[0-9A-Fa-f:.]+)\])(?::(?<port>\d{1,5}))?(?:[/?#][\x21-\x5b\x5d-\x7e]*)?$/i;
const largestPort = 65_535;

/**
 * Whether a text is a URL with http or https. The check is a grammar, because URL parsers differ. User information is
 * refused because it disguises the host, and a backslash because browsers read it as a slash.
 */
function isWebUrl(url: string): boolean {
  const match = webUrl.exec(url);
  if (!match?.groups) return false;
  const { ipv6, port } = match.groups;
  return (ipv6 === undefined || parseAddress(ipv6) !== undefined) && Number(port ?? 0) <= largestPort;
}

export const WebUrl = refined(longestUrl, (url) => (isWebUrl(url) ? undefined : 'expected an http:// or https:// URL'));

/** A path that starts with exactly one slash, because `//host` and `/\host` lead to another host. */
const rootRelative = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

export const RedirectUrl = refined(longestUrl, (url) =>
  rootRelative.test(url) || isWebUrl(url)
    ? undefined
    : 'expected http://, https:// or a path that starts with one slash',
);
