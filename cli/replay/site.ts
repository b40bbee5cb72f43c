/** Which requests come from a page of the same site. */

/** The host of a referrer, in lower case. Undefined: it is not a URL of a page. */
export function siteOf(referrer: string | undefined): string | undefined {
  if (referrer === undefined || !/^https?:\/\//i.test(referrer)) return undefined;
  const start = referrer.indexOf('//') + 2;
  const length = referrer.slice(start).search(/[/?#:]/);
  return referrer.slice(start, length < 0 ? undefined : start + length).toLowerCase() || undefined;
}

const withoutWww = (host: string): string => host.replace(/^www\./, '');

/** The same host, or one of them below the other; `www.` does not count. */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [withoutWww(one.toLowerCase()), withoutWww(other.toLowerCase())];
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}
