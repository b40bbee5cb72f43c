/** Generates the tables of docs/tcp-guard.md: every key of tcp-guard.yaml. */

import { blockNames } from '../daemon/protocols.ts';
import { daemonSchema } from '../daemon/schema.ts';
import { toJson } from '../schema/json-schema.ts';
import { keyTable, type Property, partOf } from './docs.ts';

const at = (...path: readonly string[]): Property => partOf(toJson(daemonSchema()) as Property, path);

/** Returns one table for all protocols, because each has only a few keys. */
function blockTable(): string {
  const properties = blockNames.flatMap((block) =>
    Object.entries(at('services', '*', block).properties ?? {}).map(([key, property]) => [`${block}.${key}`, property]),
  );
  return keyTable({ properties: Object.fromEntries(properties) as Record<string, Property> });
}

export const daemonTables = {
  'global-keys': () => keyTable(at('global')),
  'bans-keys': () => keyTable(at('bans')),
  'api-keys': () => keyTable(at('api')),
  'threatfeed-keys': () => keyTable(at('threatfeed')),
  'intake-keys': () => keyTable(at('intake', '[]')),
  'service-keys': () => keyTable(at('services', '*')),
  'rate-limit-keys': () => keyTable(at('services', '*', 'rate_limit')),
  'proxy-protocol-keys': () => keyTable(at('services', '*', 'proxy_protocol')),
  'service-response-keys': () => keyTable(at('services', '*', 'response')),
  'timeout-keys': () => keyTable(at('services', '*', 'timeouts')),
  'protocol-keys': blockTable,
  'port-scan-keys': () => keyTable(at('port_scan')),
} as const;
