/** Parses the address of Caddy's admin API: in the notation of Caddy, or as a URL. */
import { UsageError } from '../../platform/errors.ts';
import { quote } from '../program/quote.ts';

export type AdminAddress =
  | { readonly kind: 'http'; readonly origin: URL }
  | { readonly kind: 'unix'; readonly path: string };

/** Port of Caddy's admin API by default. */
const defaultPort = '2019';

function httpAddress(text: string): AdminAddress | undefined {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (!url || url.hostname === '' || url.search !== '' || url.hash !== '' || url.username !== '') return undefined;
  // `URL` drops the default port of a scheme, so the text decides whether the user wrote a port.
  if (url.port === '' && !/:\d+\/?$/.test(text)) url.port = defaultPort;
  return url.pathname === '/' ? { kind: 'http', origin: url } : undefined;
}

function socketAddress(text: string): AdminAddress | undefined {
  const path = /^unix(?::\/\/|\/)(\/.+)$/.exec(text)?.[1];
  return path === undefined ? undefined : { kind: 'unix', path };
}

/**
 * Parses `http://localhost:2019`, `localhost:2019`, `unix//run/caddy.sock` or `unix:///run/caddy.sock`.
 * @throws UsageError
 */
export function adminAddress(text: string): AdminAddress {
  if (text.endsWith('.json'))
    throw new UsageError(`${JSON.stringify(text)} is a file, and not the address of Caddy's admin API`, {
      code: 'bad_admin_url',
      hint: `write the address first: guardcli apply localhost:2019 ${quote(text)}`,
    });
  const address = /^unix[:/]/.test(text) ? socketAddress(text) : httpAddress(text);
  if (address) return address;
  throw new UsageError(`${JSON.stringify(text)} is not an address of an admin API`, {
    code: 'bad_admin_url',
    hint: 'write it as http://localhost:2019 or unix//run/caddy/admin.sock',
  });
}

export function addressText(address: AdminAddress): string {
  return address.kind === 'unix' ? `unix/${address.path}` : address.origin.origin;
}
