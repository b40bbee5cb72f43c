/** What a target cannot express, or needs more configuration for. `validate` and `generate` print it. */

import { headerNameOf, headerTargets } from '../../contract/policy/headers.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { receivesHeader as caddyReceives } from '../../engine/hosts/caddy.ts';
import { receivesHeader as nginxReceives } from '../../engine/hosts/nginx.ts';
import { policyNeeds } from '../generate/nginx.ts';
import type { TargetName } from './table.ts';

type Limit = (policy: Policy) => string | undefined;

const limitWhen =
  (isCase: (policy: Policy) => boolean, text: string): Limit =>
  (policy) =>
    isCase(policy) ? text : undefined;

const usesMode =
  (...modes: Policy['response']['mode'][]) =>
  ({ response }: Policy) =>
    modes.includes(response.mode);

const unseenHeaders =
  (receives: (name: string) => boolean, why: string): Limit =>
  ({ checkHeaders, rules }) => {
    const names = [...checkHeaders, ...headerTargets(rules).map(headerNameOf)].filter((name) => !receives(name));
    if (names.length === 0) return undefined;
    const key = names.some((name) => checkHeaders.includes(name)) ? 'checkHeaders' : 'rules';
    return `${key}: ${names.join(', ')} ${why}`;
  };

const hasSecret = ({ secret, response }: Policy) =>
  [secret, response.captcha?.secretKey].some((value) => value?.startsWith('${'));

const traefikLimits: readonly Limit[] = [
  limitWhen(
    ({ exploits }) => exploits === 'all',
    'exploits: the plugin refuses all; guardcli build traefik compiles the guard in',
  ),
  limitWhen(usesMode('silent_drop'), 'response.mode: silent_drop is an empty 403 on HTTP/2 and HTTP/3'),
  limitWhen(
    ({ trustedProxies }) => trustedProxies.length > 0,
    'trustedProxies: the entry point must trust the same networks (forwardedHeaders.trustedIPs)',
  ),
  unseenHeaders(
    (name) => !/^x-forwarded-/i.test(name),
    'arrives only from peers that the entry point trusts (forwardedHeaders.trustedIPs)',
  ),
];

const caddyLimits: readonly Limit[] = [
  unseenHeaders(caddyReceives, 'never arrives: Caddy drops names with underscores or dots'),
];

const nginxLimits: readonly Limit[] = [
  unseenHeaders(nginxReceives, 'never arrives: nginx drops such names unless underscores_in_headers is on'),
  limitWhen(policyNeeds.resolver, 'response: nginx needs a resolver directive to resolve the name of the server'),
  limitWhen(hasSecret, 'secret: the main context of nginx must declare the variable with env'),
  limitWhen(
    ({ securityLog, securityLogFile }) => securityLog && securityLogFile === undefined,
    'securityLogFile: without it an nginx in the background writes no events, because its workers have no standard output',
  ),
];

const daemonLimits: readonly Limit[] = [
  limitWhen(({ tcp }) => tcp === undefined, 'tcp: the policy has no such section, so the daemon has no services'),
];

const limitsByTarget: Readonly<Record<TargetName, readonly Limit[]>> = {
  traefik: traefikLimits,
  caddy: caddyLimits,
  nginx: nginxLimits,
  'tcp-guard': daemonLimits,
};

/** Returns one clause per limit, which starts with its key. */
export const limitsOf = (name: TargetName, policy: Policy): string[] =>
  limitsByTarget[name].flatMap((limit) => limit(policy) ?? []);
