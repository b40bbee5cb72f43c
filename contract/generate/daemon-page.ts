import { blockNames } from '../daemon/protocols.ts';
import { daemonSchema } from '../daemon/schema.ts';
import { toJson } from '../schema/json-schema.ts';
import { keyTable, type Property, partOf } from './docs.ts';

const schemaAt = (...path: readonly string[]): Property => partOf(toJson(daemonSchema()) as Property, path);

function blockTable(): string {
  const properties = blockNames.flatMap((block) =>
    Object.entries(schemaAt('services', '*', block).properties ?? {}).map(([key, property]) => [
      `${block}.${key}`,
      property,
    ]),
  );
  return keyTable({ properties: Object.fromEntries(properties) as Record<string, Property> });
}

export const daemonTables = {
  'global-keys': () => keyTable(schemaAt('global')),
  'bans-keys': () => keyTable(schemaAt('bans')),
  'api-keys': () => keyTable(schemaAt('api')),
  'threatfeed-keys': () => keyTable(schemaAt('threatfeed')),
  'intake-keys': () => keyTable(schemaAt('intake', '[]')),
  'lists-keys': () => keyTable(schemaAt('lists', '[]')),
  'notify-keys': () => keyTable(schemaAt('notify', '[]')),
  'service-keys': () => keyTable(schemaAt('services', '*')),
  'rate-limit-keys': () => keyTable(schemaAt('services', '*', 'rate_limit')),
  'proxy-protocol-keys': () => keyTable(schemaAt('services', '*', 'proxy_protocol')),
  'service-response-keys': () => keyTable(schemaAt('services', '*', 'response')),
  'timeout-keys': () => keyTable(schemaAt('services', '*', 'timeouts')),
  'protocol-keys': blockTable,
  'port-scan-keys': () => keyTable(schemaAt('port_scan')),
} as const;
