/** Explains which client address a policy reads from the peer and X-Forwarded-For. */
import type { Policy } from '../../contract/policy/schema.ts';
import {
  type Address,
  contains,
  formatAddress,
  forwardedAddress,
  networksOf,
  parseAddress,
} from '../../contract/values/address.ts';
import { expandPresets, presetOf } from '../../contract/values/presets.ts';
import { forwardedEntries } from '../../engine/client-address.ts';
import type { GuardRequest } from '../../engine/index.ts';

export interface ClientStep {
  /** `peer`, or an entry of X-Forwarded-For, from the right. */
  readonly from: 'peer' | 'X-Forwarded-For';
  /** The address as it was sent. */
  readonly text: string;
  /** Null: it is not an address. */
  readonly address: string | null;
  /** The entry of trustedProxies that has the address, and of a preset the network. Absent: no entry has it. */
  readonly trustedBy?: { readonly entry: string; readonly network?: string };
}

export interface ClientExplanation {
  /** Null: the peer has no address. */
  readonly address: string | null;
  readonly steps: readonly ClientStep[];
  /** Number of entries of X-Forwarded-For to the left, which a client can forge. */
  readonly ignored: number;
}

const hasAddress = (text: string, address: Address): boolean =>
  networksOf([text]).some((network) => contains(network, address));

function trustedBy(address: Address, trustedProxies: readonly string[]): ClientStep['trustedBy'] {
  const entry = trustedProxies.find((text) => hasAddress(text, address));
  if (entry === undefined) return undefined;
  const network = presetOf(entry) && expandPresets([entry]).find((text) => hasAddress(text, address));
  return { entry, ...(network !== undefined && { network }) };
}

function stepOf(from: ClientStep['from'], text: string, { trustedProxies }: Policy): ClientStep {
  const address = from === 'peer' ? parseAddress(text) : forwardedAddress(text);
  if (!address) return { from, text, address: null };
  const trust = trustedBy(address, trustedProxies);
  return { from, text, address: formatAddress(address), ...(trust && { trustedBy: trust }) };
}

/** Follows the addresses like the engine (engine/client-address.ts). */
export function explainClient(request: GuardRequest, policy: Policy): ClientExplanation {
  const entries = forwardedEntries(request);
  const steps = [stepOf('peer', request.ip ?? '', policy)];
  while (steps.at(-1)?.trustedBy && entries.length > 0)
    steps.push(stepOf('X-Forwarded-For', entries.pop() ?? '', policy));
  const client = steps.findLast(({ address }) => address !== null);
  return { address: client?.address ?? null, steps, ignored: entries.length };
}

const stepText = ({ address, trustedBy: trust }: ClientStep, isLast: boolean, isClient: boolean): string => {
  if (address === null) return 'not an address: the search ends';
  if (!trust) return `not in trustedProxies: ${isClient ? 'this is the client' : 'the search ends'}`;
  const where = `trusted by "${trust.entry}"${trust.network === undefined ? '' : ` (${trust.network})`}`;
  return isLast ? `${where}, and no entry is left: this is the client` : `${where}: the next entry counts`;
};

/** Returns rows of a table: where the address is from, its text, and what follows from it. */
export function clientRows({ steps, ignored, address }: ClientExplanation): string[][] {
  const rows = steps.map((step, index) => [
    step.from,
    step.text || '(empty)',
    stepText(step, index === steps.length - 1, step.address === address),
  ]);
  const left = ignored > 0 ? [['', '', `entries that a client can send: ${ignored} not read`]] : [];
  return [...rows, ...left, ['client', address ?? 'none', address === null ? 'the peer has no address' : '']];
}
