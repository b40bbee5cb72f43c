/** Turns the findings of a schema into messages. */
import type * as z from 'zod/mini';
import { byteLength } from '../schema/fields.ts';
import { entriesOf, type Finding, type Path } from '../schema/problem.ts';
import { didYouMean } from '../values/nearest.ts';
import { keyHint, keysHint, listedKeys, type SchemaPlace } from './key-hints.ts';
import { numberHint } from './number-hint.ts';
import { described, quoted } from './quote.ts';
import { exampleAt, isChoiceAt, isValidAt, keysAt, rangeAt } from './schema-keys.ts';

export interface Issue extends Finding {
  readonly path: Path;
}

/** How the value was written, for hints: in a file, or in a request of the API. */
export type Writing = 'yaml' | 'json' | 'request';

interface Place {
  readonly path: Path;
  readonly schemaPlace: SchemaPlace;
  readonly writing: Writing;
  /** The checked value, or undefined when the key is absent. */
  readonly value: unknown;
}

type Raw<Code extends string> = Extract<z.core.$ZodIssue, { code: Code }>;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const foundText = (value: unknown): string => `, found ${described(value)}`;

function missingIssue({ path, schemaPlace }: Place, expected: string): Issue {
  const example = exampleAt(schemaPlace.schema, schemaPlace.path);
  const suffix = example === undefined ? '' : ` such as ${JSON.stringify(example)}`;
  return { kind: 'missing_key', message: `${quoted(String(path.at(-1)))} is missing, ${expected}${suffix}`, path };
}

const booleanWords: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, '1': true },
  ...{ false: false, no: false, off: false, '0': false },
};

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value instanceof Object ? 'object' : typeof value;

/** What to do about a collection in place of another one, or about an empty one, by the expected and the found kind. */
const yamlHints: Readonly<Record<string, string>> = {
  'object null': 'indent its keys by more blanks than its name, or delete it',
  'record null': 'indent its keys by more blanks than its name, or delete it',
  'array null': 'write its entries below it, each after a dash, or delete it',
  'array object': 'begin each entry with a dash, or write [{...}]',
  'object array': 'write keys, without a dash before them',
  'record array': 'write keys, without a dash before them',
};

const jsonHints: Readonly<Record<string, string>> = {
  'object null': 'write an object: {...}',
  'record null': 'write an object: {...}',
  'array null': 'write a list: [...]',
  'array object': 'write a list: [...]',
  'object array': 'write an object: {...}',
  'record array': 'write an object: {...}',
};

/** Suggests the first text that the schema accepts: the number itself, a port of every address, or seconds. */
function textHint(value: number, { schema, path }: SchemaPlace): string | undefined {
  const meant = [`${value}`, `:${value}`, `${value}s`].find((text) => isValidAt(schema, path, text));
  return meant === undefined ? undefined : `write ${quoted(meant)}, in quotes`;
}

/** What to do about a file that is one text, such as a Caddyfile, in place of a policy or a configuration. */
const textFileHint =
  'pass the policy; check a Caddyfile with caddy validate, and nginx with nginx -T | guardcli validate --nginx -';

/** Returns the key of an object that a word in its place is for: a key with a choice that has this word. */
function keyOfWord(word: string, { schema, path }: SchemaPlace, keys: readonly string[]): string | undefined {
  return keys.find((key) => isChoiceAt(schema, [...path, key]) && isValidAt(schema, [...path, key], word));
}

/** Suggests the value that the user probably meant. */
function typeHint(expected: string, { value, schemaPlace, writing }: Place): string | undefined {
  const keys = keysAt(schemaPlace.schema, schemaPlace.path);
  if (schemaPlace.path.length === 0 && keys.length > listedKeys && typeof value === 'string') return textFileHint;
  const collection = (writing === 'yaml' ? yamlHints : jsonHints)[`${expected} ${kindOf(value)}`];
  if (collection !== undefined) return collection;
  if (expected === 'array' && typeof value === 'string') return `write [${quoted(value)}]`;
  if (expected === 'object' && typeof value === 'string') {
    const key = keyOfWord(value, schemaPlace, keys);
    if (key !== undefined) return `write {${quoted(key)}: ${quoted(value)}}`;
  }
  if (expected === 'object' && keys.length > 0 && keys.length <= listedKeys) return keysHint(keys);
  if (expected === 'string' && typeof value === 'number') return textHint(value, schemaPlace);
  if (typeof value !== 'string') return undefined;
  const meant = expected === 'boolean' ? booleanWords[value.toLowerCase()] : undefined;
  if (meant !== undefined) return `write ${meant} without quotes`;
  return expected === 'number' || expected === 'int' ? numberHint(value, schemaPlace) : undefined;
}

function invalidType({ expected }: Raw<'invalid_type'>, place: Place): Issue {
  const { path, value } = place;
  const message = `expected ${typeNames[expected] ?? expected}`;
  return value === undefined
    ? missingIssue(place, message)
    : {
        kind: 'wrong_type',
        message: message + foundText(value),
        path,
        get hint() {
          return typeHint(expected, place);
        },
      };
}

/** The message of zod/mini for a choice whose schema has no hint. */
const messageWithoutHint = 'Invalid input';

function invalidValue({ values, message: ownHint }: Raw<'invalid_value'>, place: Place): Issue {
  const { path, value } = place;
  const message = `expected ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
  if (value === undefined) return missingIssue(place, message);
  const near = () => {
    if (typeof value !== 'string') return undefined;
    const isQuoted = !values.includes(value) && values.map(String).includes(value);
    return isQuoted ? `write ${value} without quotes` : didYouMean(value, values.map(String));
  };
  const hint = ownHint === messageWithoutHint ? near() : ownHint;
  return { kind: 'bad_value', message: message + foundText(value), path, hint };
}

/**
 * Returns the issue for a value out of range. Its message has both bounds of a number, and only the violated bound of a
 * text or list.
 */
function outOfRange(issue: Raw<'too_big'> | Raw<'too_small'>, { schemaPlace, path, value }: Place): Issue {
  const at = (message: string): Issue => ({ kind: 'out_of_range', message, path });
  if (typeof value === 'number')
    return at(`expected ${rangeAt(schemaPlace.schema, schemaPlace.path)}${foundText(value)}`);
  const bound = issue.code === 'too_big' ? `at most ${issue.maximum}` : `at least ${issue.minimum}`;
  if (typeof value === 'string') return at(`expected ${bound} bytes, found ${byteLength(value)}`);
  return at(`expected ${bound} in the list, found ${entriesOf(value).length}`);
}

function unknownKeys({ keys }: Raw<'unrecognized_keys'>, { schemaPlace, path, writing }: Place): Issue[] {
  return keys.map((key) => ({
    kind: 'unknown_key',
    message: `unknown key ${quoted(key)}`,
    path: [...path, key],
    isAboutKey: true,
    get hint() {
      return keyHint(schemaPlace, key, writing !== 'request');
    },
  }));
}

/** Appends the found value unless the message already contains it. */
function withFoundValue(message: string, value: unknown): string {
  const isComplete = !message.startsWith('expected ') || message.includes(', found ');
  return isComplete || value === undefined ? message : message + foundText(value);
}

function customIssue({ message, params }: Raw<'custom'>, { path, value }: Place): Issue {
  const finding = params as unknown as Omit<Finding, 'message' | 'path'>;
  return { ...finding, message: withFoundValue(message, finding.isAboutKey ? String(path.at(-1)) : value), path };
}

export function issuesOf(raw: z.core.$ZodIssue, place: Place): readonly Issue[] {
  const { path, value } = place;
  switch (raw.code) {
    case 'invalid_type':
      return [invalidType(raw, place)];
    case 'invalid_value':
      return [invalidValue(raw, place)];
    case 'too_big':
    case 'too_small':
      return [outOfRange(raw, place)];
    case 'unrecognized_keys':
      return unknownKeys(raw, place);
    case 'custom':
      return [customIssue(raw, place)];
    case 'invalid_key': {
      // Only the issue of the form says what a key looks like: that of the length has no message.
      const own = raw.issues.find(({ message }) => message !== messageWithoutHint);
      const message = `${own?.message ?? 'expected a shorter key'}, found ${quoted(String(path.at(-1)))}`;
      return [{ kind: 'bad_value', message, path, isAboutKey: true }];
    }
    default:
      return [{ kind: 'bad_value', message: withFoundValue(raw.message, value), path }];
  }
}
