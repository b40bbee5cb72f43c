/** What each target of `generate` makes of a policy: what cannot be written there, and what holds there only with more. */
import { receivesHeader as caddyReceives } from '../../contract/hosts/caddy.ts';
import { receivesHeader as nginxReceives } from '../../contract/hosts/nginx.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { GuardError } from '../../platform/errors.ts';
import { targets } from '../generate/index.ts';
import { needs } from '../generate/nginx.ts';
import type { GenerateTarget } from '../generate/target.ts';

export interface TargetReport {
  readonly target: string;
  /** Whether `generate` can write the policy for it. */
  readonly generates: boolean;
  /** Why not, or what is different there, each a clause that names its key first. */
  readonly limits: readonly string[];
}

/** What is told of a policy, if it is the case. */
type Limit = (policy: Policy) => string | undefined;

const when =
  (isCase: (policy: Policy) => boolean, text: string): Limit =>
  (policy) =>
    isCase(policy) ? text : undefined;

const inMode =
  (...modes: Policy['response']['mode'][]) =>
  ({ response }: Policy) =>
    modes.includes(response.mode);

const unseen =
  (receives: (name: string) => boolean, why: string): Limit =>
  ({ checkHeaders }) => {
    const names = checkHeaders.filter((name) => !receives(name));
    return names.length === 0 ? undefined : `checkHeaders: ${names.join(', ')} ${why}`;
  };

const hasSecret = ({ secret, response }: Policy) =>
  [secret, response.captcha?.secretKey].some((value) => value?.startsWith('${'));

const traefik: readonly Limit[] = [
  when(inMode('silent_drop'), 'response.mode: silent_drop is an empty 403 on HTTP/2 and HTTP/3'),
  when(
    ({ trustedProxies }) => trustedProxies.length > 0,
    'trustedProxies: the entry point has to trust the same networks (forwardedHeaders.trustedIPs)',
  ),
  unseen(
    (name) => !/^x-forwarded-/i.test(name),
    'arrives only from peers that the entry point trusts (forwardedHeaders.trustedIPs)',
  ),
];

const caddy: readonly Limit[] = [unseen(caddyReceives, 'never arrives: Caddy drops names with underscores or dots')];

const nginx: readonly Limit[] = [
  unseen(nginxReceives, 'never arrives: nginx drops such names unless told otherwise (underscores_in_headers)'),
  when(needs.resolver, 'response: nginx needs a resolver directive to find the server by its name'),
  when(hasSecret, 'secret: the variable has to be named with env in the main context of nginx'),
  when(
    ({ securityLog, securityLogFile }) => securityLog && securityLogFile === undefined,
    'securityLogFile: without it no events from an nginx in the background, whose workers have no standard output',
  ),
];

const daemon: readonly Limit[] = [
  when(({ tcp }) => tcp === undefined, 'tcp: the policy has none, so the daemon has no services'),
];

/** By name of the target. */
export const limitsOf: Readonly<Record<string, readonly Limit[]>> = {
  'proxya-yaml': traefik,
  'proxya-toml': traefik,
  'proxya-labels': traefik,
  proxyb: caddy,
  proxyc: nginx,
  'tcp-guard': daemon,
};

/** Why the target cannot have this policy; undefined when it can. */
async function refusal({ load }: GenerateTarget, policy: Policy): Promise<string | undefined> {
  try {
    (await load())(policy);
    return undefined;
  } catch (error) {
    if (error instanceof GuardError) return error.message;
    throw error;
  }
}

async function report(target: GenerateTarget, policy: Policy): Promise<TargetReport> {
  const refused = await refusal(target, policy);
  const limits = (limitsOf[target.name] ?? []).flatMap((limit) => limit(policy) ?? []);
  return {
    target: target.name,
    generates: refused === undefined,
    limits: [...(refused === undefined ? [] : [`not possible: ${refused}`]), ...limits],
  };
}

/** Every target, in the order of the table. */
export function reportTargets(policy: Policy): Promise<TargetReport[]> {
  return Promise.all(targets.map((target) => report(target, policy)));
}
