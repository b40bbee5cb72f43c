import { type Daemon, daemonSchema } from '../../daemon/schema.ts';
import { type Path, valueAt } from '../../schema/problem.ts';
import { type Network, networksOf, parseNetwork } from '../../values/address.ts';
import { isLoopback } from '../../values/endpoint.ts';
import type { Located } from '../check.ts';
import type { Problem } from '../problem.ts';
import { defaultAt } from '../schema-keys.ts';
import { oldPresets, privateProxies } from './presets.ts';
import { missingFormats } from './sources.ts';
import { type Warning, withPositions } from './warning.ts';

type Check = (daemon: Daemon, file: unknown) => Iterable<Warning>;

const listens = ({ services, port_scan }: Daemon): boolean =>
  Object.keys(services).length > 0 || port_scan.listen.length > 0;

function* noServices(daemon: Daemon): Iterable<Warning> {
  if (listens(daemon) || daemon.intake.length > 0) return;
  yield { kind: 'no_services', path: ['services'], message: 'there are no services: nothing is guarded' };
}

/** Warns of sources whose bans refuse no client: the daemon has no listener, and nothing else reads its bans. */
function* idleBans(daemon: Daemon): Iterable<Warning> {
  const { bans, intake, threatfeed } = daemon;
  if (listens(daemon) || intake.length === 0 || bans.scope === 'host') return;
  if (bans.publish !== '' || threatfeed.push) return;
  yield {
    kind: 'idle_bans',
    path: ['bans', 'scope'],
    message: 'bans refuse no client: there are no services',
    hint: 'set bans.scope to host to ban on every port of the host, or bans.publish for proxies',
  };
}

/** Returns every list of networks, with the effect of a list that contains all addresses. */
function networkLists({ global, services }: Daemon): [Path, readonly string[], string][] {
  const filters = (path: Path, { allow, deny }: Daemon['global']['ip_filter']): [Path, readonly string[], string][] => [
    [[...path, 'allow'], allow, 'every client may connect'],
    [[...path, 'deny'], deny, 'no client can connect'],
  ];
  return [
    [['global', 'never_ban'], global.never_ban, 'no client can be banned'],
    ...filters(['global', 'ip_filter'], global.ip_filter),
    ...Object.entries(services).flatMap(([name, service]) => {
      const path = ['services', name];
      const { accept_from } = service.proxy_protocol;
      const claims: [Path, readonly string[], string] = [
        [...path, 'proxy_protocol', 'accept_from'],
        accept_from,
        'every peer can claim any address',
      ];
      return [...filters([...path, 'ip_filter'], service.ip_filter), claims];
    }),
  ];
}

function* allAddresses(daemon: Daemon): Iterable<Warning> {
  for (const [path, entries, effect] of networkLists(daemon))
    for (const [index, entry] of entries.entries())
      if (parseNetwork(entry)?.length === 0)
        yield { kind: 'everyone', path: [...path, index], message: `it contains all addresses: ${effect}` };
}

function containsNetwork(outer: Network, inner: Network): boolean {
  if (outer.family !== inner.family || outer.length > inner.length) return false;
  return inner.prefix >> BigInt(inner.length - outer.length) === outer.prefix;
}

/** Warns of entries of `allow` that `deny` refuses anyway. */
function* shadowedAllow({ global, services }: Daemon): Iterable<Warning> {
  const holders: [Path, Daemon['global']['ip_filter']][] = [
    [['global'], global.ip_filter],
    ...Object.entries(services).map(([name, { ip_filter }]): [Path, typeof ip_filter] => [
      ['services', name],
      ip_filter,
    ]),
  ];
  for (const [path, { allow, deny }] of holders) {
    const denied = networksOf(deny);
    for (const [index, entry] of allow.entries()) {
      const network = parseNetwork(entry);
      if (network && denied.some((outer) => containsNetwork(outer, network)))
        yield {
          kind: 'shadowed',
          path: [...path, 'ip_filter', 'allow', index],
          message: 'it has no effect: deny contains it too',
        };
    }
  }
}

/** Whether the key has its default. Both values come from one schema, so their keys have the same order. */
const hasDefault = (daemon: Daemon, path: Path): boolean =>
  JSON.stringify(valueAt(daemon, path)) === JSON.stringify(defaultAt(daemonSchema(), path));

/**
 * Warns of keys that another key makes ineffective. Skips a key with its default, because generated files contain every
 * key.
 */
function* unreadKeys(daemon: Daemon, file: unknown): Iterable<Warning> {
  const { threatfeed, services } = daemon;
  const keys: { path: Path; isRead: boolean; why: string }[] = [
    {
      path: ['threatfeed', 'throttle'],
      isRead: threatfeed.fallback_action === 'throttle',
      why: 'fallback_action is not throttle',
    },
    { path: ['threatfeed', 'push'], isRead: threatfeed.enabled, why: 'threatfeed.enabled is off' },
    ...Object.entries(services).map(([name, { response }]) => ({
      path: ['services', name, 'response', 'tarpit_ms'],
      isRead: response.mode === 'tarpit',
      why: 'response.mode is not tarpit',
    })),
  ];
  for (const { path, isRead, why } of keys)
    if (!isRead && valueAt(file, path) !== undefined && !hasDefault(daemon, path))
      yield { kind: 'no_effect', path, message: `it has no effect: ${why}` };
}

function* probableBans({ services }: Daemon): Iterable<Warning> {
  for (const [name, { ssh }] of Object.entries(services))
    if (ssh?.ban_on_probable) {
      const message = 'short automated sessions look like failed logins and get their address banned';
      yield {
        kind: 'probable_bans',
        path: ['services', name, 'ssh', 'ban_on_probable'],
        message,
        hint: 'put it in never_ban',
      };
    }
}

/** Warns of a feed URL that sends the bouncer key and every decision unencrypted over a network. */
function* clearTextFeed({ threatfeed: { enabled, lapi_url } }: Daemon): Iterable<Warning> {
  const url = URL.parse(lapi_url);
  if (!enabled || url?.protocol !== 'http:' || isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))) return;
  const message = 'the key and the decisions are sent unencrypted';
  yield { kind: 'clear_text', path: ['threatfeed', 'lapi_url'], message, hint: 'use https off this machine' };
}

/** Warns of FTP without `passive`: only its control connection is relayed. */
function* passiveFtp({ services }: Daemon): Iterable<Warning> {
  for (const [name, { protocol, enabled, ftp }] of Object.entries(services))
    if (enabled && protocol === 'ftp' && !ftp?.passive)
      yield {
        kind: 'passive_ftp',
        path: ['services', name, 'protocol'],
        message: 'data connections of passive mode do not pass tcp-guard: clients connect where the server says',
        hint: 'set ftp.passive to relay them (docs/inspectors.md)',
      };
}

/** Warns of the filter on sockets, which nftables has replaced. */
function* socketFilter({ bans: { kernel } }: Daemon): Iterable<Warning> {
  if (kernel === 'bpf')
    yield {
      kind: 'replaced',
      path: ['bans', 'kernel'],
      message: 'bpf is read as auto: nftables has replaced the eBPF filter',
      hint: 'write auto, and grant CAP_NET_ADMIN instead of CAP_BPF',
    };
}

function* presets(daemon: Daemon): Iterable<Warning> {
  const lists = networkLists(daemon);
  yield* oldPresets(lists.map(([path, entries]) => [path, entries]));
  for (const [path, entries] of lists) if (path.at(-1) === 'accept_from') yield* privateProxies(path, entries);
}

const daemonChecks: readonly Check[] = [
  noServices,
  idleBans,
  missingFormats,
  allAddresses,
  presets,
  shadowedAllow,
  unreadKeys,
  probableBans,
  clearTextFeed,
  passiveFtp,
  socketFilter,
];

export function daemonWarnings(daemon: Daemon, located: Located): Problem[] {
  const file = located.root.value;
  return withPositions(
    daemonChecks.flatMap((check) => [...check(daemon, file)]),
    located,
  );
}
