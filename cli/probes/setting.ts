/** The environment of a probe set: the policy, its proxy, and this machine as a client. */

import { policyResponse } from '../../contract/policy/banned-response.ts';
import type { Policy, Response } from '../../contract/policy/schema.ts';
import { isListed } from '../../contract/values/address.ts';
import type { HostModel, HttpVersion, Received, SentRequest } from '../../engine/hosts/received.ts';
import { compile, type Verdict } from '../../engine/index.ts';
import type { SandboxBans } from './bans.ts';
import type { ProbeRequest } from './probe.ts';
import { headersOf } from './request-bytes.ts';

export type Outcome =
  | { readonly kind: 'refused'; readonly status: number }
  /** The backend receives this target and, of a request with an Upgrade header, this protocol; empty: none. */
  | { readonly kind: 'passed'; readonly backend: string; readonly upgrade?: string; readonly verdict: Verdict }
  /** The backend receives the request, and the guard reports it. */
  | { readonly kind: 'detected'; readonly backend: string; readonly upgrade?: string; readonly verdict: Verdict }
  | { readonly kind: 'blocked'; readonly verdict: Verdict };

export interface SettingInput {
  readonly policy: Policy;
  readonly model: HostModel;
  /** `host:port` for requests without a Host header. */
  readonly host: string;
  /** Address of this machine as the proxy sees it. */
  readonly peer: string;
  /** The ban list of the sandbox. Absent where the policy has none. */
  readonly bans?: SandboxBans | undefined;
  /** Version of HTTP. Default: 1.1. */
  readonly version?: HttpVersion;
}

export interface Setting extends SettingInput {
  /**
   * X-Forwarded-For with an address that is neither in `allowedIps` nor in `trustedProxies`, so that `allowedIps` does
   * not allow every probe. Empty when `allowedIps` lacks the peer, when the policy does not trust the peer, or when the
   * lists contain all `neutralAddresses`.
   */
  readonly clientHeaders: readonly (readonly [string, string])[];
  /** True when the policy trusts the X-Forwarded-For of this machine. */
  readonly isTrusted: boolean;
  readonly received: (request: ProbeRequest) => Received;
  readonly outcome: (request: ProbeRequest) => Outcome;
}

/** Documentation addresses (RFC 5737, RFC 3849), which are unassigned. */
const neutralAddresses = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1'];

/**
 * Returns the request that a probe sends, with the marker of request 0. Every other marker gives the same outcome,
 * because all markers have the same length.
 */
function sentOf(request: ProbeRequest, { host, version = '1.1' }: SettingInput): SentRequest {
  const { method, target } = request;
  return { method, target, version, headers: [['Host', request.host ?? host], ...headersOf(request, 0)] };
}

const hasUpgrade = ({ headers }: ProbeRequest): boolean => headers.some(([name]) => name.toLowerCase() === 'upgrade');

function clientHeadersOf({ policy, peer }: SettingInput, isTrusted: boolean): [string, string][] {
  if (!isTrusted || !isListed(policy.allowedIps, peer)) return [];
  const lists = [...policy.allowedIps, ...policy.trustedProxies];
  const neutral = neutralAddresses.find((address) => !isListed(lists, address));
  return neutral === undefined ? [] : [['X-Forwarded-For', neutral]];
}

export function createSetting(input: SettingInput): Setting {
  const { policy, peer, model } = input;
  const guard = compile(policy);
  const bans = policy.banList && input.bans && { bans: input.bans.table };
  const isTrusted = isListed(policy.trustedProxies, peer);
  const received = (request: ProbeRequest): Received => model.receives(sentOf(request, input));
  // Several functions need the outcome of the same request.
  const knownOutcomes = new WeakMap<ProbeRequest, Outcome>();
  const compute = (request: ProbeRequest): Outcome => {
    const receivedRequest = received(request);
    if (receivedRequest.kind === 'refused') return receivedRequest;
    const { kind: _, backend, ...read } = receivedRequest;
    const { method, body } = request;
    const guarded = { ...read, method, ip: peer, ...(body !== undefined && { body }), ...bans };
    const verdict: Verdict = guard.evaluate(guarded);
    if (verdict.verdict === 'blocked' && policy.mode !== 'detect') return { kind: 'blocked', verdict };
    const kind = verdict.verdict === 'allowed' ? 'passed' : 'detected';
    const upgrade = model.sentUpgrade(guard.upgrades(guarded).headers).trim().toLowerCase();
    return { kind, backend, verdict, ...(hasUpgrade(request) && { upgrade }) };
  };
  const outcome = (request: ProbeRequest): Outcome => {
    const outcome = knownOutcomes.get(request) ?? compute(request);
    knownOutcomes.set(request, outcome);
    return outcome;
  };
  return { ...input, isTrusted, clientHeaders: clientHeadersOf(input, isTrusted), received, outcome };
}

/** True when the address of this machine bypasses the policy, so that no probe can show a block. */
export function isBypassed({ policy, peer, clientHeaders }: Setting): boolean {
  return isListed(policy.allowedIps, peer) && clientHeaders.length === 0;
}

/** Returns the response to a blocked request. */
export const responseOf = (outcome: Outcome, policy: Policy): Response =>
  policyResponse(policy, outcome.kind !== 'refused' && outcome.verdict.reason === 'banned');

export function ruleOf(outcome: Outcome): string | undefined {
  return outcome.kind === 'refused' ? undefined : outcome.verdict.rule;
}

/** True when the guard detects the request, in either mode. */
export function isBlockedOrDetected(outcome: Outcome): outcome is Extract<Outcome, { kind: 'blocked' | 'detected' }> {
  return outcome.kind === 'blocked' || outcome.kind === 'detected';
}
