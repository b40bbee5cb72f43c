/** What probes are written for, and what must come of them: the policy, its proxy, and this machine as a client. */

import { compile, type Guard, type Verdict } from '../../contract/engine/index.ts';
import type { HostModel } from '../../contract/hosts/received.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { contains, parseAddress, parseNetwork } from '../../contract/values/address.ts';
import type { ProbeRequest } from './probe.ts';
import { marker, markerHeader, requestBytes } from './request-bytes.ts';

/** What must come of a request. */
export type Outcome =
  | { readonly kind: 'refused'; readonly status: number }
  /** Reaches the backend with this target. */
  | { readonly kind: 'passed'; readonly backend: string; readonly verdict: Verdict }
  /** The same, and is reported. */
  | { readonly kind: 'detected'; readonly backend: string; readonly verdict: Verdict }
  | { readonly kind: 'blocked'; readonly verdict: Verdict };

export interface Setting {
  readonly policy: Policy;
  /** What the proxy makes of a request before the guard sees it. */
  readonly model: HostModel;
  /** `host:port` for the Host header of requests that name none. */
  readonly host: string;
  /** The address that the proxy sees as our end of the connection. */
  readonly peer: string;
  /** Headers that make the proxy see a client which no list names; none when the peer itself is one. */
  readonly clientHeaders: readonly (readonly [string, string])[];
  /** Whether X-Forwarded-For is believed of us. */
  readonly isTrusted: boolean;
  readonly outcome: (request: ProbeRequest) => Outcome;
}

export interface SettingInput {
  readonly policy: Policy;
  readonly model: HostModel;
  readonly host: string;
  readonly peer: string;
}

/** Addresses for documentation (RFC 5737, RFC 3849): nobody's, so one of them is in no list of a policy. */
const neutralAddresses = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1'];

function isIn(list: readonly string[], text: string): boolean {
  const address = parseAddress(text);
  if (!address) return false;
  return list.some((entry) => {
    const network = parseNetwork(entry);
    return network !== undefined && contains(network, address);
  });
}

/** In absolute form the target names the host and the Host header counts for nothing (RFC 9112 3.2.2). */
function hostOf({ target, host }: ProbeRequest, fallback: string): string {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]+)/.exec(target)?.[1] ?? host ?? fallback;
}

function evaluate(guard: Guard, request: ProbeRequest, target: string, { host, peer, model }: SettingInput): Verdict {
  // Any marker will do: they are all of one form.
  const sent = [[markerHeader, marker(0)], ...request.headers] as const;
  const headers = sent.filter(([name]) => model.receivesHeader(name));
  const { method, body } = request;
  return guard.evaluate({
    method,
    target,
    headers,
    ip: peer,
    host: hostOf(request, host),
    ...(body !== undefined && { body }),
  });
}

const headBytes = (request: ProbeRequest, host: string): number =>
  requestBytes(request, 0, host).length - (request.withheld ? 0 : (request.body?.length ?? 0));

function clientHeaders({ policy, peer }: SettingInput, isTrusted: boolean): [string, string][] {
  if (!isTrusted || !isIn(policy.allowedIps, peer)) return [];
  const lists = [...policy.allowedIps, ...policy.trustedProxies];
  const neutral = neutralAddresses.find((address) => !isIn(lists, address));
  return neutral === undefined ? [] : [['X-Forwarded-For', neutral]];
}

export function createSetting(input: SettingInput): Setting {
  const { policy, host, peer, model } = input;
  const guard = compile(policy);
  const isTrusted = isIn(policy.trustedProxies, peer);
  const known = new WeakMap<ProbeRequest, Outcome>(); // who sends a request and who counts it both ask
  const judge = (request: ProbeRequest): Outcome => {
    const { target, method } = request;
    const received = model.receives(target, headBytes(request, host) - target.length, method);
    if (received.kind === 'refused') return received;
    const verdict = evaluate(guard, request, received.target, input);
    const { backend } = received;
    if (verdict.verdict === 'allowed') return { kind: 'passed', backend, verdict };
    return policy.mode === 'detect' ? { kind: 'detected', backend, verdict } : { kind: 'blocked', verdict };
  };
  const outcome = (request: ProbeRequest): Outcome => {
    const outcome = known.get(request) ?? judge(request);
    known.set(request, outcome);
    return outcome;
  };
  return { policy, model, host, peer, isTrusted, clientHeaders: clientHeaders(input, isTrusted), outcome };
}

/** Whether our own address bypasses the policy: then nothing can be shown of it. */
export function isBypassed({ policy, peer, clientHeaders }: Setting): boolean {
  return isIn(policy.allowedIps, peer) && clientHeaders.length === 0;
}

/** The rule that an outcome names, or undefined. */
export function ruleOf(outcome: Outcome): string | undefined {
  return outcome.kind === 'refused' ? undefined : outcome.verdict.rule;
}

/** Whether the guard objects, whatever it then does about it. */
export function isObjection(outcome: Outcome): outcome is Extract<Outcome, { kind: 'blocked' | 'detected' }> {
  return outcome.kind === 'blocked' || outcome.kind === 'detected';
}
