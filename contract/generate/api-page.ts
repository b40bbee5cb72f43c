/** Generates the tables of docs/api.md from the OpenAPI document that the API serves. */
import { apiErrors } from '../api/errors.ts';
import { openApi } from '../api/openapi.ts';
import { daemonBounds } from '../daemon/bounds.ts';
import type { Property } from './docs.ts';
import { inlineCode, type Row, table } from './markdown.ts';

type Content = Readonly<Record<string, { readonly schema: Property }>>;

interface Described {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly { name: string; in: string; description: string; schema: Property }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Property>> };
}

const document = openApi('0', true) as unknown as Document;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

const isSuccess = (status: string): boolean => status.startsWith('2');

function resolveReference(schema: Property): Property {
  const name = schema.$ref?.split('/').at(-1);
  return (name && document.components.schemas[name]) || schema;
}

const bodyOf = (content: Content | undefined): Property =>
  resolveReference(Object.values(content ?? {})[0]?.schema ?? {});

function answerText({ responses }: Described): string {
  const [status = '', answer] = Object.entries(responses).find(([key]) => isSuccess(key)) ?? [];
  const [type = ''] = Object.keys(answer?.content ?? {});
  return `${status}${type === 'application/json' ? '' : `, ${inlineCode(type)}`}`;
}

function operationTable(): string {
  const rows = operations.map(({ name, operation }): Row => {
    const { summary, description = '' } = operation;
    return [inlineCode(name), answerText(operation), `${summary}. ${description}`.trim()];
  });
  return table(['operation', 'answer', 'what'], rows);
}

function formText(schema: Property): string {
  const { type = '', const: only, enum: choices, anyOf, minimum, maximum, examples = [], items } = schema;
  if (only) return inlineCode(String(only));
  if (choices) return choices.map((choice) => inlineCode(String(choice))).join(', ');
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return `${minimum} to ${maximum}`;
  if (examples.length > 0) return `such as ${examples.map((example) => inlineCode(String(example))).join(', ')}`;
  if (anyOf && !type) return anyOf.map((one) => formText(one as Property)).join(' or ');
  return type === 'array' ? `list of ${items?.type ?? 'value'}s` : [type].flat().join(' or ');
}

function inputTable(): string {
  const rows = operations.flatMap(({ name, operation }): Row[] => {
    const { parameters = [], requestBody } = operation;
    const { properties = {}, required = [] } = bodyOf(requestBody?.content);
    const ofBody = Object.entries(properties).map(([key, schema]): Row => {
      const form = formText(schema) + (required.includes(key) ? '; required' : '');
      return [inlineCode(name), `${inlineCode(key)} in the body`, form, schema.description ?? ''];
    });
    const ofQuery = parameters.map(({ name: key, in: place, description, schema }): Row => {
      return [inlineCode(name), `${inlineCode(key)} in the ${place}`, formText(schema), description];
    });
    return [...ofQuery, ...ofBody];
  });
  return table(['operation', 'input', 'form', 'meaning'], rows);
}

/** Returns the keys of a response and their nested keys, as dotted paths. */
function keyRows(schema: Property, prefix: string): Row[] {
  const { properties = {}, items, additionalProperties, $ref } = schema;
  if ($ref) return keyRows(resolveReference(schema), prefix);
  if (items) return keyRows(items, `${prefix}[].`.replace('.[]', '[]'));
  if (typeof additionalProperties === 'object') return keyRows(additionalProperties as Property, `${prefix}<name>.`);
  return Object.entries(properties).flatMap(([key, value]) => [
    [inlineCode(prefix + key), formText(value), value.description ?? ''],
    ...keyRows(value, `${prefix}${key}.`),
  ]);
}

function answerTable(name: string): string {
  return table(['key', 'form', 'meaning'], keyRows(document.components.schemas[name] as Property, ''));
}

function errorTable(): string {
  const rows = Object.entries(apiErrors).map(
    ([name, { status, meaning }]): Row => [inlineCode(name), `${status}`, meaning],
  );
  return table(['code', 'status', 'meaning'], rows);
}

const seconds = (ms: number): string => `${ms / 1000} s`;
const rate = ({ perSecond, burst }: { perSecond: number; burst: number }): string =>
  `${perSecond} a second, ${burst} at once`;

const boundRows: readonly Row[] = [
  ['bytes of a body', `${daemonBounds.apiBodyBytes}`],
  ['bytes of request line and headers', `${daemonBounds.apiHeadBytes}`],
  ['headers', `${daemonBounds.apiHeaders}`],
  ['time for the headers', seconds(daemonBounds.apiHeadMs)],
  ['time for the whole request', seconds(daemonBounds.apiRequestMs)],
  ['time that an idle connection is kept', seconds(daemonBounds.apiIdleMs)],
  ['time without a byte in either direction', seconds(daemonBounds.apiStallMs)],
  ['requests of one connection without a complete response', `${daemonBounds.apiPipelined}`],
  ['connections at once, of each listener', `${daemonBounds.apiConnections}`],
  ['further connections for health checks', `${daemonBounds.apiReserved}`],
  ['requests of one connection', rate(daemonBounds.apiConnectionRate)],
  ['requests of one client', rate(daemonBounds.apiClientRate)],
  ['readers of /events at once', `${daemonBounds.apiReaders}`],
  ['events that are kept for them', `${daemonBounds.apiEvents}, ${daemonBounds.apiEventsBytes / 1024 ** 2} MiB`],
  ['time between two heartbeats', seconds(daemonBounds.apiHeartbeatMs)],
];

export const apiTables = {
  operations: operationTable,
  inputs: inputTable,
  health: () => answerTable('Health'),
  stats: () => answerTable('Stats'),
  'ban-record': () => answerTable('BanRecord'),
  errors: errorTable,
  bounds: () => table(['bound', 'value'], boundRows),
} as const;
