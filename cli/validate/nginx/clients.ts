/** Finds listeners and trusted proxies with which a client can choose its address. */
import { type Network, networksOf, parseNetwork } from '../../../contract/values/address.ts';
import { type Config, childrenOf, directivesOf, namedDirectives, type Scope } from './config.ts';
import { type Check, type Finding, policyText } from './finding.ts';
import type { Directive } from './parse.ts';

/** The literal entries of trusted_proxies in all policies. */
function trustedBy(config: Config): string[] {
  const lists = [...policyText(config).matchAll(/\btrusted_proxies\s*=\s*\{([^}]*)\}/g)];
  return lists.flatMap(([, list = '']) => [...list.matchAll(/["']([^"']*)["']/g)].map(([, entry = '']) => entry));
}

/** Returns one name for `80`, `*:80` and `0.0.0.0:80`, which are the same listener. */
const nameOf = ({ args }: Directive): string => (args[0] ?? '').replace(/^(?:\*|0\.0\.0\.0):/, '');

const isLocal = (listener: Directive): boolean => /^(?:127\.|localhost\b|\[::1\]|unix:)/.test(nameOf(listener));

const listenersOf = ({ directive }: Scope): Directive[] => namedDirectives(childrenOf(directive), 'listen');

/**
 * Separates listeners with a PROXY header from those without. nginx expects the header for an address, so one
 * `proxy_protocol` applies to all servers at that address. `without` omits listeners that only this machine reaches.
 */
function listenersByHeader({ servers }: Config) {
  const all = servers.flatMap(listenersOf);
  const names = new Set(all.filter(({ args }) => args.includes('proxy_protocol')).map(nameOf));
  const hasHeader = (listener: Directive) => names.has(nameOf(listener));
  return { withHeader: all.filter(hasHeader), without: all.filter((one) => !hasHeader(one) && !isLocal(one)) };
}

function* findMissingHeader(config: Config): Iterable<Finding> {
  const { withHeader } = listenersByHeader(config);
  const setting = directivesOf(config, 'real_ip_header').find(({ args }) => args[0] === 'proxy_protocol');
  if (!setting || withHeader.length > 0) return;
  yield {
    ...{ level: trustedBy(config).length > 0 ? 'problem' : 'warning', kind: 'no_proxy_header' },
    ...{ line: setting.line, path: setting.name },
    message: 'no listener has proxy_protocol, so the guard sees the balancer as the client of every request',
    hint: 'add proxy_protocol to the listeners that the balancer connects to, as in `listen 443 ssl proxy_protocol;`',
  };
}

function* findMixedListeners(config: Config): Iterable<Finding> {
  const { withHeader, without } = listenersByHeader(config);
  if (withHeader.length === 0 || trustedBy(config).length === 0) return;
  for (const listener of without)
    yield {
      ...{ level: 'warning', kind: 'mixed_listeners', line: listener.line, path: `listen ${listener.args[0]}` },
      message:
        'it has no proxy_protocol, as others have: a balancer in trusted_proxies that connects here passes X-Forwarded-For of clients on',
      hint: 'add proxy_protocol, or remove the balancer from trusted_proxies',
    };
}

const isSingleAddress = ({ family, length }: Network): boolean => length === (family === 4 ? 32 : 128);

function areOverlapping(one: Network, other: Network): boolean {
  const length = Math.min(one.length, other.length);
  const shared = ({ family, length: own, prefix }: Network) => `${family} ${prefix >> BigInt(own - length)}`;
  return shared(one) === shared(other);
}

/** Finds trusted proxies in the network of the balancers, such as 10.0.0.0/8. Clients are often in the same network. */
function* findTrustedClients(config: Config): Iterable<Finding> {
  const { withHeader } = listenersByHeader(config);
  if (withHeader.length === 0) return;
  const trusted = networksOf(trustedBy(config)).filter((network) => !isSingleAddress(network));
  for (const setting of directivesOf(config, 'set_real_ip_from')) {
    const balancers = parseNetwork(setting.args[0] ?? '');
    if (!balancers || !trusted.some((network) => areOverlapping(network, balancers))) continue;
    yield {
      ...{ level: 'warning', kind: 'trusted_clients', line: setting.line, path: setting.name },
      message: `trusted_proxies has addresses of ${setting.args[0]} too: a client there chooses its address with X-Forwarded-For`,
      hint: 'remove the network from trusted_proxies: behind proxy_protocol it lists HTTP proxies in front of the balancer',
    };
  }
}

function* findTrustedEveryone(config: Config): Iterable<Finding> {
  const everyone = trustedBy(config).find((entry) => parseNetwork(entry)?.length === 0);
  if (everyone === undefined) return;
  yield {
    ...{ level: 'problem', kind: 'trusted_everyone', line: config.line, path: 'trusted_proxies' },
    message: `${everyone} contains all addresses: every client chooses its address with X-Forwarded-For`,
    hint: 'list the addresses of your proxies',
  };
}

export const clientChecks: readonly Check[] = [
  findMissingHeader,
  findMixedListeners,
  findTrustedClients,
  findTrustedEveryone,
];
