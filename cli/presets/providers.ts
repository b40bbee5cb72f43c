/** Where the providers publish their networks, and in which form. */

export interface Provider {
  readonly name: string;
  /** Empty: there is no fixed address, and the user passes one with --from. */
  readonly urls: readonly string[];
  /** Returns the networks of a document, in any form that JSON or lines can have. @throws for another document */
  readonly networksOf: (text: string) => readonly unknown[];
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

type Fields = Readonly<Record<string, unknown>>;

const listAt = (value: unknown, key: string): readonly Fields[] => {
  const list = (value as Fields | null)?.[key];
  return Array.isArray(list) ? list : [];
};

function cloudfrontNetworks(text: string): readonly unknown[] {
  const document: unknown = JSON.parse(text);
  const rows = [...listAt(document, 'prefixes'), ...listAt(document, 'ipv6_prefixes')];
  return rows
    .filter((row) => row?.service === 'CLOUDFRONT_ORIGIN_FACING')
    .map(({ ip_prefix, ipv6_prefix }) => ip_prefix ?? ipv6_prefix);
}

/** The service tags of Azure. `Backend` is what connects to an origin. */
function azureNetworks(text: string): readonly unknown[] {
  const row = listAt(JSON.parse(text), 'values').find((one) => one?.name === 'AzureFrontDoor.Backend');
  return listAt(row?.properties, 'addressPrefixes');
}

export const providers: readonly Provider[] = [
  {
    name: 'cloudflare',
    urls: ['https://www.cloudflare.com/ips-v4', 'https://www.cloudflare.com/ips-v6'],
    networksOf: lines,
  },
  {
    name: 'fastly',
    urls: ['https://api.fastly.com/public-ip-list'],
    networksOf: (text) => {
      const document: unknown = JSON.parse(text);
      return [...listAt(document, 'addresses'), ...listAt(document, 'ipv6_addresses')];
    },
  },
  { name: 'cloudfront', urls: ['https://ip-ranges.amazonaws.com/ip-ranges.json'], networksOf: cloudfrontNetworks },
  {
    name: 'bunny',
    urls: [
      'https://bunnycdn.com/api/system/edgeserverlist/plain',
      'https://bunnycdn.com/api/system/edgeserverlist/IPv6/plain',
    ],
    networksOf: lines,
  },
  { name: 'azure-front-door', urls: [], networksOf: azureNetworks },
];
