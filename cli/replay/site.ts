/** Returns the host of a referrer. Undefined when the referrer is not the URL of a page. */
export function siteOf(referrer: string | undefined): string | undefined {
  if (referrer === undefined || !/^https?:\/\//i.test(referrer)) return undefined;
  const start = referrer.indexOf('//') + 2;
  const length = referrer.slice(start).search(/[/?#:]/);
  return referrer.slice(start, length < 0 ? undefined : start + length).toLowerCase() || undefined;
}

const withoutWww = (host: string): string => host.replace(/^www\./, '');

/** True when the hosts are equal, or one is a subdomain of the other. Ignores `www.`. */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [withoutWww(one.toLowerCase()), withoutWww(other.toLowerCase())];
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}
