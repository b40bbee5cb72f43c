/** For tests: a GeoIP database of a few networks in the format that MaxMind describes, so small that most changes hit something. */

const control = (type: number, size: number): number[] => (type < 8 ? [(type << 5) | size] : [size, type - 7]);
const textOf = (value: string): number[] => [...control(2, Buffer.byteLength(value)), ...Buffer.from(value)];
const numberOf = (value: number, type = 6): number[] => {
  const bytes = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
  const first = bytes.findIndex((byte) => byte !== 0);
  const used = first < 0 ? [] : bytes.slice(first);
  return [...control(type, used.length), ...used];
};
const mapOf = (entries: Readonly<Record<string, number[]>>): number[] => [
  ...control(7, Object.keys(entries).length),
  ...Object.entries(entries).flatMap(([key, value]) => [...textOf(key), ...value]),
];
const pointerTo = (offset: number): number[] => [(1 << 5) | (offset >> 8), offset & 255];

const german = mapOf({ country: mapOf({ iso_code: textOf('DE') }) });
const french = mapOf({ country_code: textOf('FR') });
const shared = mapOf({ registered_country: pointerTo(german.length - 3 - 9 - 1), asn: numberOf(64_496) });

/** Networks of IPv4, by the bits of their prefix, and where their entry begins. */
const networks = [
  { bits: '0', at: 0 },
  { bits: '10', at: german.length },
  { bits: '110', at: german.length + french.length },
];

const recordBytes = 3;
const separator = 16;

function treeOf(): Buffer {
  const count = networks.length;
  const tree = Buffer.alloc(count * recordBytes * 2);
  for (const [node, { at }] of networks.entries()) {
    const next = node + 1; // the last leads to the count of nodes: nobody
    tree.writeUIntBE(count + separator + at, node * recordBytes * 2, recordBytes);
    tree.writeUIntBE(next, node * recordBytes * 2 + recordBytes, recordBytes);
  }
  return tree;
}

const metadata = mapOf({
  node_count: numberOf(networks.length),
  record_size: numberOf(recordBytes * 8, 5),
  ip_version: numberOf(4, 5),
  database_type: textOf('test'),
  languages: [...control(11, 1), ...textOf('en')],
  binary_format_major_version: numberOf(2, 5),
  binary_format_minor_version: numberOf(0, 5),
  build_epoch: numberOf(1_700_000_000, 9),
  description: mapOf({ en: textOf('test') }),
});

export const smallMmdb: Buffer = Buffer.concat([
  treeOf(),
  Buffer.alloc(separator),
  Buffer.from([...german, ...french, ...shared]),
  Buffer.from('abcdef4d61784d696e642e636f6d', 'hex'),
  Buffer.from(metadata),
]);

/** One address of each entry, and one of none. */
export const smallAddresses = { DE: '1.2.3.4', FR: '130.1.1.1', 'DE of another kind': '200.1.1.1', '': '240.1.1.1' };
