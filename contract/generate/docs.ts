import { builtInRules } from '../policy/builtin-rules.ts';
import { limits } from '../policy/limits.ts';
import { type ModeRow, modes } from '../policy/modes.ts';
import { Policy } from '../policy/schema.ts';
import { type JsonSchema, toJson } from '../schema/json-schema.ts';
import { inlineCode, type Row, table } from './markdown.ts';

export type Property = JsonSchema & {
  readonly bounds?: string;
  readonly short?: string;
  readonly items?: Property;
  readonly properties?: Readonly<Record<string, Property>>;
};

function typeText({ enum: choices, type, items, properties, additionalProperties }: Property): string {
  if (choices) return choices.map((choice) => inlineCode(String(choice))).join(', ');
  if (type === 'array') return items?.enum ? `list of ${typeText(items)}` : `list of ${items?.type ?? 'value'}s`;
  if (type !== undefined && type !== 'object') return String(type);
  return properties || !additionalProperties ? 'object' : 'mapping';
}

const countText = (least: number | undefined, most: number | undefined, unit: string): string[] => {
  if (most === undefined) return least ? [`${least} or more ${unit}`] : [];
  return [least ? `${least} to ${most} ${unit}` : `at most ${most} ${unit}`];
};

function boundsText(property: Property): string {
  if (property.bounds !== undefined) return property.bounds;
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items } = property;
  const numbers = minimum === undefined ? [] : [`${minimum} to ${maximum}`];
  const each = items?.maxLength === undefined ? [] : [`each at most ${items.maxLength} bytes`];
  return [
    ...numbers,
    ...countText(minLength, maxLength, 'bytes'),
    ...countText(minItems, maxItems, 'entries'),
    ...each,
  ].join(', ');
}

function defaultText({ default: value, type }: Property): string {
  return value === undefined || type === 'object' ? '' : inlineCode(JSON.stringify(value));
}

function keyRow([key, property]: [string, Property], isRequired: boolean): Row {
  const fallback = isRequired ? 'required' : defaultText(property);
  return [inlineCode(key), typeText(property), fallback, boundsText(property), property.description ?? ''];
}

const tableHead = ['key', 'type', 'default', 'bounds', 'meaning'];

export function keyTable({ properties = {}, required = [] }: Property): string {
  const rows = Object.entries(properties).map((entry) => keyRow(entry, required.includes(entry[0])));
  return table(tableHead, rows);
}

/** Returns the part of a schema at a path of keys. `[]` is an entry of a list, `*` a value of a mapping. */
export function partOf(schema: Property, path: readonly string[]): Property {
  return path.reduce((part, step) => {
    const inner = step === '[]' ? part.items : step === '*' ? part.additionalProperties : part.properties?.[step];
    return inner as Property;
  }, schema);
}

const policyPart = (...path: readonly string[]): Property => partOf(toJson(Policy) as Property, path);

function modeTable(): string {
  const rows = Object.entries(modes).map(([name, row]: [string, ModeRow]) => {
    const options = row.options.map(inlineCode).join(', ');
    return [
      inlineCode(name),
      row.summary,
      String(row.statusCode ?? '-'),
      inlineCode(row.contentType ?? '-'),
      options,
      row.holdsRequests ? 'yes' : '',
    ];
  });
  return table(['mode', 'a blocked client gets', 'status', 'content type', 'reads', 'holds'], rows);
}

/**
 * What each limit of a request counts, and the reason code of a request that exceeds it. `cut`: the request is not
 * blocked, but the remainder is not inspected.
 */
const requestLimits = {
  pathBytes: ['bytes of a path', 'limit_length'],
  queryBytes: ['bytes of a query, and of one key or value', 'limit_length'],
  queryPairs: ['pairs of a query, or values and pairs of all inspected headers', 'limit_query_pairs'],
  headerBytes: ['bytes of an inspected header', 'limit_length'],
  decodeRounds: ['rounds of URL decoding', 'limit_decode_rounds'],
  viewBytes: ['bytes of the candidates of one value', 'limit_candidates'],
  requestBytes: ['bytes of the candidates of one request', 'limit_candidates'],
  bodyValueBytes: ['bytes of one value of a body', 'cut'],
  bodyValues: ['values of a body, without empty ones and words', 'cut'],
  multipartContentBytes: ['bytes of the content of a form part', 'cut'],
} as const satisfies Partial<Record<keyof typeof limits, readonly [string, string]>>;

function limitTable(): string {
  const rows = Object.entries(requestLimits).map(([name, [what, effect]]) => [
    what,
    String(limits[name as keyof typeof requestLimits]),
    effect === 'cut'
      ? `the remainder is not inspected: ${inlineCode('bodyOverflow')} decides`
      : `blocked, ${inlineCode(effect)}`,
  ]);
  return table(['limit', 'value', 'past it'], rows);
}

function ruleTable(): string {
  const rows = builtInRules.map(({ id, action, size, category, targets, why, matches }) => [
    inlineCode(id),
    size === 'extended' ? `${action}, extended` : action,
    category,
    targets.join(', '),
    why,
    matches.slice(0, 2).map(inlineCode).join(' '),
  ]);
  return table(['id', 'action', 'category', 'targets', 'why', 'examples'], rows);
}

export const policyTables = {
  'policy-keys': () => keyTable(policyPart()),
  'rule-keys': () => keyTable(policyPart('rules', '[]')),
  'exception-keys': () => keyTable(policyPart('exceptions', '[]')),
  'application-keys': () => keyTable(policyPart('applications', '[]')),
  'response-keys': () => keyTable(policyPart('response')),
  'captcha-keys': () => keyTable(policyPart('response', 'captcha')),
  modes: modeTable,
  limits: limitTable,
  rules: ruleTable,
} as const;
