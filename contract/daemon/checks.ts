/** Cross-checks of the keys of tcp-guard.yaml. */

import { type CrossCheck, entriesOf, type Fields, isFields, type Path } from '../schema/problem.ts';
import { isLoopback, overlaps, parseListen, parseUpstream, reaches } from '../values/endpoint.ts';
import { parsePorts } from '../values/ports.ts';
import { checkIntake } from './intake.ts';
import { checkLists } from './lists.ts';
import { checkNotify } from './notify.ts';
import { blockNames, isProtocol } from './protocols.ts';

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const isEmpty = (value: unknown): boolean => value === undefined || value === '';

const servicesOf = (file: Fields): [string, Fields][] =>
  Object.entries(fieldsOf(file.services)).map(([name, service]) => [name, fieldsOf(service)]);

/** The API can ban and reload, so it needs a token on addresses other than loopback. */
const checkApi: CrossCheck = function* (file) {
  const { listen, auth_token } = fieldsOf(file.api);
  const endpoint = typeof listen === 'string' ? parseListen(listen) : undefined;
  if (!endpoint || isLoopback(endpoint.host) || !isEmpty(auth_token)) return;
  yield {
    kind: 'missing_key',
    message: 'api.listen is not a loopback address, so the API needs a token: set api.auth_token',
    path: ['api', 'auth_token'],
  };
};

/** Keys of the threat feed that require other keys. */
const feedNeeds = [
  { when: 'enabled', needs: 'api_key' },
  { when: 'push', needs: 'machine_id' },
  { when: 'push', needs: 'password' },
] as const;

const checkThreatfeed: CrossCheck = function* (file) {
  const feed = fieldsOf(file.threatfeed);
  for (const { when, needs } of feedNeeds)
    if (feed[when] === true && isEmpty(feed[needs]))
      yield { kind: 'missing_key', message: `threatfeed.${when} needs ${needs}`, path: ['threatfeed', needs] };
};

/** Sections that can have an ip_filter and a geo_block. */
const filteredSections = (file: Fields): [Path, Fields][] => [
  [['global'], fieldsOf(file.global)],
  ...servicesOf(file).map(([name, service]): [Path, Fields] => [['services', name], service]),
];

const geoKeys = ['allow_countries', 'deny_countries'] as const;

/**
 * Country rules need a database. Without one every country is unknown, and the rules would refuse no connection or
 * every connection.
 */
const checkGeo: CrossCheck = function* (file) {
  if (!isEmpty(fieldsOf(file.global).geoip_db)) return;
  const hasRules = ([, holder]: [Path, Fields]) =>
    geoKeys.some((key) => entriesOf(fieldsOf(holder.geo_block)[key]).length > 0);
  const first = filteredSections(file).find(hasRules);
  if (!first) return;
  const where = [...first[0], 'geo_block'].join('.');
  yield {
    kind: 'missing_key',
    message: `${where} needs a GeoIP database: set global.geoip_db`,
    path: ['global', 'geoip_db'],
  };
};

/** Pairs of lists that must not share an entry. */
const oppositeLists = [
  { block: 'ip_filter', allow: 'allow', deny: 'deny' },
  { block: 'geo_block', allow: 'allow_countries', deny: 'deny_countries' },
  { block: 'tls', allow: 'allow_sni', deny: 'deny_sni' },
] as const;

const checkOpposites: CrossCheck = function* (file) {
  for (const [path, holder] of filteredSections(file))
    for (const { block, allow, deny } of oppositeLists) {
      const lists = fieldsOf(holder[block]);
      const allowed = new Set(entriesOf(lists[allow]));
      for (const [index, entry] of entriesOf(lists[deny]).entries())
        if (allowed.has(entry))
          yield {
            kind: 'conflict',
            message: `the entry is in ${allow} too: remove one of them`,
            path: [...path, block, deny, index],
          };
    }
};

/** Refuses options of one protocol in a service with another protocol, where they have no effect. */
const checkBlocks: CrossCheck = function* (file) {
  for (const [name, service] of servicesOf(file))
    for (const block of blockNames) {
      const { protocol = 'generic' } = service;
      if (service[block] === undefined || protocol === block || !isProtocol(protocol)) continue;
      yield {
        kind: 'conflict',
        message: `${block} applies only to protocol ${block}, and this service has protocol ${protocol}`,
        path: ['services', name, block],
      };
    }
};

interface Listener {
  readonly path: Path;
  readonly text: unknown;
}

const listeners = (file: Fields): Listener[] => [
  { path: ['api', 'listen'], text: fieldsOf(file.api).listen },
  ...servicesOf(file)
    .filter(([, service]) => service.enabled !== false)
    .map(([name, { listen }]) => ({ path: ['services', name, 'listen'], text: listen })),
  ...entriesOf(fieldsOf(file.port_scan).listen).map((text, index) => ({ path: ['port_scan', 'listen', index], text })),
];

const checkListeners: CrossCheck = function* (file) {
  const seen: { path: Path; endpoint: NonNullable<ReturnType<typeof parseListen>> }[] = [];
  for (const { path, text } of listeners(file)) {
    const endpoint = typeof text === 'string' ? parseListen(text) : undefined;
    if (!endpoint) continue;
    const other = seen.find((earlier) => overlaps(earlier.endpoint, endpoint));
    if (other) yield { kind: 'conflict', message: `${other.path.join('.')} already uses this address and port`, path };
    seen.push({ path, endpoint });
  }
};

/** A listener must not use a port of the passive range. It would fail to open, or receive data connections. */
const checkPassivePorts: CrossCheck = function* (file) {
  for (const [name, service] of servicesOf(file)) {
    const text = fieldsOf(fieldsOf(service.ftp).passive).ports;
    const ports = typeof text === 'string' && service.enabled !== false ? parsePorts(text) : undefined;
    if (!ports) continue;
    const path = ['services', name, 'ftp', 'passive', 'ports'];
    for (const other of listeners(file)) {
      const port = typeof other.text === 'string' ? (parseListen(other.text)?.port ?? 0) : 0;
      if (port >= ports.first && port <= ports.last)
        yield { kind: 'conflict', message: `${other.path.join('.')} uses port ${port} of this range`, path };
    }
  }
};

/** A service must not relay to itself, because its first client would exhaust all connections. */
const checkLoops: CrossCheck = function* (file) {
  for (const [name, { listen, upstream }] of servicesOf(file)) {
    if (typeof listen !== 'string' || typeof upstream !== 'string') continue;
    const [from, to] = [parseListen(listen), parseUpstream(upstream)];
    if (from && to && !('path' in to) && reaches(to, from))
      yield { kind: 'conflict', message: 'the service would relay to itself', path: ['services', name, 'upstream'] };
  }
};

export const daemonChecks: readonly CrossCheck[] = [
  checkApi,
  checkThreatfeed,
  checkGeo,
  checkOpposites,
  checkBlocks,
  checkListeners,
  checkPassivePorts,
  checkLoops,
  checkIntake,
  checkLists,
  checkNotify,
];
