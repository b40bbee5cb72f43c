/** Where an FTP client wants data sent: the arguments of PORT (RFC 959 4.1.2), EPRT (RFC 2428 2) and LPRT (RFC 1639 3). */
import { type Address, formatAddress, parseAddress } from '../../../contract/values/address.ts';

const portForm = /^[ \t]*(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),\d{1,3},\d{1,3}[ \t]*$/;
const extendedForm = /^[ \t]*([\x21-\x7e])[12]\1([0-9A-Fa-f.:]{2,45})\1\d{1,5}\1[ \t]*$/;

function addressOf(verb: string, argument: string): Address | undefined {
  if (verb === 'EPRT') return parseAddress(extendedForm.exec(argument)?.[2] ?? '');
  const [, ...bytes] = portForm.exec(argument) ?? [];
  return parseAddress(bytes.map(Number).join('.'));
}

export const portCommands: ReadonlySet<string> = new Set(['PORT', 'EPRT', 'LPRT']);

/** Whether data would go to `client` (canonical text). What cannot be read would go elsewhere. */
export function goesTo(client: string, verb: string, argument: string): boolean {
  const address = verb === 'LPRT' ? undefined : addressOf(verb, argument);
  const own = parseAddress(client);
  return address !== undefined && own !== undefined && formatAddress(address) === formatAddress(own);
}
