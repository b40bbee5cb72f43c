/** Finds the clients of an access log whose requests count: those that a policy blocks, and those with some statuses. */
import type { Policy } from '../../contract/policy/schema.ts';
import { formatAddress, networksOf, parseAddress } from '../../contract/values/address.ts';
import { clientAddress, isWithin } from '../../engine/client-address.ts';
import { evaluatorOf, usesHeadersIn } from './evaluator.ts';
import { parseObject, textOf } from './json.ts';
import { LogParser } from './parser.ts';
import type { LoggedRequest } from './request.ts';

export interface AccessOptions {
  readonly policy: Policy;
  /** The member with the peer, for logs in JSON of servers that are not known. */
  readonly member?: string | undefined;
  /** Statuses of responses that count. */
  readonly statuses: ReadonlySet<number>;
}

/** A request that counts. `address`: that of the client in canonical text. */
export type AccessFinding =
  | { readonly kind: 'blocked'; readonly address: string }
  /** The policy allows the request. */
  | { readonly kind: 'status'; readonly address: string; readonly status: number }
  /** A line of a trusted proxy, `address`, without the address of its client. */
  | { readonly kind: 'unforwarded'; readonly address: string };

/**
 * Returns a function that finds a member with a text that the line has once. Where the server does not escape texts, a
 * client can write members, also with escapes in their names: JSON.parse returns the last one.
 */
function onlyMember(name: string): (line: string) => string | undefined {
  const form = new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]*)"`, 'g');
  return (line) => {
    const written = [...line.matchAll(form)];
    const value = textOf(parseObject(line)?.[name]);
    return written.length === 1 && written[0]?.[1] === value ? value : undefined;
  };
}

/**
 * Returns a parser for a source. A member is named only for a log in JSON of a server that is not known. Where that server does not
 * escape texts, a client can write the members of Traefik or Caddy, so the format is not guessed from its lines.
 */
export const parserOf = ({ member }: Pick<AccessOptions, 'member'>): LogParser =>
  new LogParser(member === undefined ? undefined : 'json');

/**
 * How lines in JSON of Traefik (logrus sorts the names of members) and Caddy (zap writes its own members first) begin. In a log of
 * another server that does not escape texts, a client could write their members, but not the beginning of a line.
 */
const ownBeginning = /^(?:[^{]|\{"(?:ClientAddr|level|ts|logger|msg)":)/;

/** Returns a function that finds the peer of a request that the parser read. @param member see `AccessOptions` */
export function peerReader(
  { member }: Pick<AccessOptions, 'member'>,
  parser: LogParser,
): (logged: LoggedRequest, line: string) => string | undefined {
  const ofJson = member === undefined ? () => undefined : onlyMember(member);
  return ({ peer }, line) => {
    if (parser.format === 'json') return ofJson(line);
    return ownBeginning.test(line) ? peer : undefined;
  };
}

/** Requests that are remembered as allowed: most visitors ask for few files. Their number, and the characters of each. */
const [rememberedRequests, rememberedCharacters] = [4096, 512];

/**
 * Returns a function that reports whether it was called with a text before, by a hash. Remembering each request of a log in which
 * most have a different target would fill V8's old space with garbage, which it collects late.
 */
function createRepeats(): (text: string) => boolean {
  const hashes = new Int32Array(rememberedRequests);
  return (text) => {
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193); // FNV
    const slot = (hash >>> 8) % rememberedRequests; // the low bits are those of the last characters
    const isRepeated = hashes[slot] === hash;
    hashes[slot] = hash;
    return isRepeated;
  };
}

/** Returns a function that decides whether the policy allows a request of an unknown client. */
function allowedBy(policy: Policy, evaluate: ReturnType<typeof evaluatorOf>): (logged: LoggedRequest) => boolean {
  const usesHeaders = usesHeadersIn(policy);
  const allowed = new Set<string>();
  const isRepeated = createRepeats();
  return (logged) => {
    const { method, target, host = '' } = logged;
    const key = `${method} ${target.length} ${target} ${host}`; // no two requests have the same
    if (allowed.has(key)) return true;
    const isAllowed = evaluate(logged, undefined, '').verdict === 'allowed';
    if (isAllowed && !usesHeaders && key.length <= rememberedCharacters && isRepeated(key)) {
      if (allowed.size === rememberedRequests) allowed.clear();
      allowed.add(key);
    }
    return isAllowed;
  };
}

/** Returns a function that reads a line. It returns undefined for a request that does not count. */
export function accessReader({ policy, member, statuses }: AccessOptions): (line: string) => AccessFinding | undefined {
  const parser = parserOf({ member });
  const peerOf = peerReader({ member }, parser);
  const evaluate = evaluatorOf(policy);
  const allows = allowedBy(policy, evaluate);
  const [trusted, allowed] = [networksOf(policy.trustedProxies), networksOf(policy.allowedIps)];

  return (line) => {
    const logged = parser.parse(line);
    if (typeof logged !== 'object') return undefined;
    const { status } = logged;
    // Most lines end here, before their address is looked for: without one, no allowed address excuses a request.
    const isAllowed = allows(logged);
    if (isAllowed && !statuses.has(status)) return undefined;
    const ip = peerOf(logged, line);
    const peer = parseAddress(ip ?? '');
    if (ip === undefined || peer === undefined) return undefined;
    const client = clientAddress({ method: '', target: '', headers: logged.headers, ip }, trusted);
    if (client === undefined) return undefined;
    const address = formatAddress(client);
    if (isWithin(client, trusted))
      return address === formatAddress(peer) ? { kind: 'unforwarded', address } : undefined;
    if (!isAllowed && evaluate(logged, undefined, ip).verdict === 'blocked') return { kind: 'blocked', address };
    return statuses.has(status) && !isWithin(client, allowed) ? { kind: 'status', address, status } : undefined;
  };
}
