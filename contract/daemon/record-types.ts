/** DNS record types in queries (IANA, "Resource Record (RR) TYPEs"). */
const numbers = new Map([
  ['A', 1],
  ['NS', 2],
  ['CNAME', 5],
  ['SOA', 6],
  ['NULL', 10],
  ['WKS', 11],
  ['PTR', 12],
  ['HINFO', 13],
  ['MX', 15],
  ['TXT', 16],
  ['RP', 17],
  ['AFSDB', 18],
  ['SIG', 24],
  ['KEY', 25],
  ['AAAA', 28],
  ['LOC', 29],
  ['SRV', 33],
  ['NAPTR', 35],
  ['CERT', 37],
  ['DNAME', 39],
  ['OPT', 41],
  ['DS', 43],
  ['SSHFP', 44],
  ['RRSIG', 46],
  ['NSEC', 47],
  ['DNSKEY', 48],
  ['NSEC3', 50],
  ['NSEC3PARAM', 51],
  ['TLSA', 52],
  ['SMIMEA', 53],
  ['CDS', 59],
  ['CDNSKEY', 60],
  ['OPENPGPKEY', 61],
  ['ZONEMD', 63],
  ['SVCB', 64],
  ['HTTPS', 65],
  ['SPF', 99],
  ['EUI48', 108],
  ['EUI64', 109],
  ['TKEY', 249],
  ['TSIG', 250],
  ['IXFR', 251],
  ['AXFR', 252],
  ['MAILB', 253],
  ['MAILA', 254],
  ['ANY', 255],
  ['URI', 256],
  ['CAA', 257],
]);
const names = new Map(Array.from(numbers, ([name, number]) => [number, name]));

const mostTypes = 0xffff;
const numberedTypeForm = /^TYPE(\d{1,5})$/; // RFC 3597 5

/** Returns the number of a type from its name or from TYPE123. Returns undefined for an unknown name. */
export function typeNumber(name: string): number | undefined {
  const written = numberedTypeForm.exec(name)?.[1];
  if (written === undefined) return numbers.get(name);
  return Number(written) <= mostTypes ? Number(written) : undefined;
}

export const typeName = (number: number): string => names.get(number) ?? `TYPE${number}`;
