/** Who may connect: a list of the allowed, exclusive when it is not empty, and one of the denied, which wins. */
import type { Address } from '../../../contract/values/address.ts';
import { networkSet } from '../../address/network-set.ts';

export interface IpFilter {
  readonly admits: (address: Address) => boolean;
}

const everybody: IpFilter = { admits: () => true };

export function ipFilter({
  allow,
  deny,
}: {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}): IpFilter {
  if (allow.length === 0 && deny.length === 0) return everybody;
  const [allowed, denied] = [networkSet(allow), networkSet(deny)];
  return { admits: (address) => !denied.has(address) && (allowed.isEmpty || allowed.has(address)) };
}
