/** Finds the clients whose requests a policy blocks, in the lines of an access log. */
import type { Policy } from '../../contract/policy/schema.ts';
import { formatAddress, networksOf, parseAddress } from '../../contract/values/address.ts';
import { clientAddress, isWithin } from '../../engine/client-address.ts';
import { evaluatorOf } from './evaluator.ts';
import { parseObject, textOf } from './json.ts';
import { LogParser } from './parser.ts';
import type { LoggedRequest } from './request.ts';

/**
 * Returns a function that reads a line. It returns the canonical address of a client whose request the policy blocks.
 * Returns undefined for a line of a trusted proxy without the address of its client.
 * @param member the member with the peer, for logs in JSON of servers that are not known
 */
export function accessReader(policy: Policy, member?: string): (line: string) => string | undefined {
  const parser = new LogParser();
  const evaluate = evaluatorOf(policy);
  const trusted = networksOf(policy.trustedProxies);
  const peerOf = ({ peer }: LoggedRequest, line: string): string | undefined =>
    parser.format === 'json' ? member && textOf(parseObject(line)?.[member]) : peer;

  return (line) => {
    const logged = parser.parse(line);
    // Most lines end here, before their address is looked for: without one, no allowed address excuses a request.
    if (typeof logged !== 'object' || evaluate(logged, undefined, '').verdict === 'allowed') return undefined;
    const ip = peerOf(logged, line);
    if (ip === undefined || parseAddress(ip) === undefined) return undefined;
    const client = clientAddress({ method: '', target: '', headers: logged.headers, ip }, trusted);
    if (client === undefined || isWithin(client, trusted)) return undefined;
    return evaluate(logged, undefined, ip).verdict === 'blocked' ? formatAddress(client) : undefined;
  };
}
