/**
 * Names the parts of an allowed request that the guard did not inspect. Without them, `ALLOWED` looks like a verdict on
 * the whole request.
 */

import type { Policy } from '../../contract/policy/schema.ts';
import type { GuardRequest } from '../../engine/index.ts';
import type { TestResult } from './result.ts';

/** Headers whose value some servers and frameworks serve in place of the target, and Cookie. */
const inspectableHeaders = [
  'x-original-url', // IIS, Symfony and Zend
  'x-rewrite-url',
  'x-original-uri', // the authentication requests of ingress-nginx
  'x-override-url',
  'x-forwarded-uri', // forward authentication of Traefik and Caddy
  'x-envoy-original-path',
  'x-http-destinationurl',
  'cookie',
];

/** CGI does not distinguish underscores from dashes, so the guard does not either. */
const normal = (name: string): string => name.toLowerCase().replaceAll('_', '-');

function uninspectedHeader({ checkHeaders }: Policy, { headers }: GuardRequest): string | undefined {
  const inspected = checkHeaders.map(normal);
  const isMissed = (name: string): boolean => inspectableHeaders.includes(name) && !inspected.includes(name);
  return headers.map(([name]) => name).find((name) => isMissed(normal(name)));
}

/** Returns a clause about an allowed request, or undefined when every part that can be dangerous was inspected. */
export function uninspectedOf(reason: TestResult['reason'], policy: Policy, request: GuardRequest): string | undefined {
  switch (reason) {
    case 'disabled':
      return 'nothing was inspected: enabled is false';
    case 'method_not_inspected':
      return `nothing was inspected: methods has ${policy.methods.join(', ')}, and not ${request.method}`;
    case 'allowed_ip':
      return 'nothing was inspected: allowedIps contains the client';
    case 'no_match':
    case 'allow_pattern_match': {
      const header = uninspectedHeader(policy, request);
      return header && `${header} was not inspected: checkHeaders does not have it`;
    }
    default:
      return undefined;
  }
}
