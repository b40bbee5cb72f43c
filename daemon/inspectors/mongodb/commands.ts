/** Parses the login commands of MongoDB and their replies. */

import { copyStart } from '../framing/events.ts';
import { type FingerprintContext, fingerprintOf } from '../framing/fingerprint.ts';
import { saslFingerprint, saslUser } from '../framing/sasl.ts';
import { type BsonElement, binaryOf, bsonElements, bsonTypes, numberOf, textOf } from './bson.ts';

export interface LoginCommand {
  readonly mechanism: string | undefined;
  readonly user: string | undefined;
  readonly database: string | undefined;
  /** Whether the login is part of hello. Its refusal is not an error: the result is missing in the reply to hello. */
  readonly isSpeculative: boolean;
  readonly fingerprint: string | undefined;
}

const loginCommands: ReadonlySet<string> = new Set(['saslStart', 'saslContinue', 'authenticate']);
const greetings: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster']);

const wrappers: ReadonlySet<string> = new Set(['$query', 'query']);

/** Whether a command can contain a login. Names of commands are case-sensitive. */
export const isParsed = (name: string): boolean => loginCommands.has(name) || greetings.has(name);

function keptText(element: BsonElement): string | undefined {
  const text = textOf(element);
  return text === undefined ? undefined : copyStart(text);
}

function userOf(fields: Map<string, BsonElement>, mechanism: string | undefined): string | undefined {
  const named = fields.get('user');
  if (named) return keptText(named);
  const payload = fields.get('payload');
  const bytes = payload && binaryOf(payload);
  return bytes && mechanism !== undefined ? saslUser(mechanism, bytes.toString('base64')) : undefined;
}

const fieldsOf = (document: Buffer) =>
  new Map(Array.from(bsonElements(document), (element) => [element.name, element]));

const textIn = (fields: Map<string, BsonElement>, name: string) => {
  const field = fields.get(name);
  return field && keptText(field);
};

/** The fingerprint of a password in clear text, by the mechanism PLAIN. */
function fingerprintIn(fields: Map<string, BsonElement>, context: FingerprintContext, mechanism = '', database = '') {
  const payload = fields.get('payload');
  const bytes = payload && binaryOf(payload);
  return fingerprintOf(context, saslFingerprint(context, mechanism), database, bytes?.toString('base64'));
}

function loginIn(document: Buffer, context: FingerprintContext, isSpeculative: boolean): LoginCommand {
  const fields = fieldsOf(document);
  const mechanism = textIn(fields, 'mechanism');
  const database = textIn(fields, 'db') ?? textIn(fields, '$db');
  const fingerprint = fingerprintIn(fields, context, mechanism, database);
  return { mechanism, user: userOf(fields, mechanism), database, isSpeculative, fingerprint };
}

/** The login in a command. Undefined when there is none. A legacy query may wrap the command. */
export function readCommand(document: Buffer, context: FingerprintContext): LoginCommand | undefined {
  const [first] = bsonElements(document);
  return commandIn(first && wrappers.has(first.name) ? first.value : document, context);
}

/** Reads a command. Its first element has the name of the command. */
function commandIn(document: Buffer, context: FingerprintContext): LoginCommand | undefined {
  const [first] = bsonElements(document);
  if (!first) return undefined;
  if (loginCommands.has(first.name)) return loginIn(document, context, false);
  if (!greetings.has(first.name)) return undefined;
  const speculative = fieldsOf(document).get('speculativeAuthenticate');
  return speculative?.type === bsonTypes.document ? loginIn(speculative.value, context, true) : undefined;
}

export type LoginAnswer = 'success' | 'failure' | 'goes_on' | 'other';

const authenticationFailed = 18;

const numberIn = (fields: Map<string, BsonElement>, name: string) => {
  const field = fields.get(name);
  return field && numberOf(field);
};

/** The outcome in a reply. Only replies to saslStart and saslContinue contain whether the login is complete. */
export function readAnswer(document: Buffer, isSpeculative: boolean): LoginAnswer {
  const fields = fieldsOf(document);
  if (numberIn(fields, 'ok') !== 1) return numberIn(fields, 'code') === authenticationFailed ? 'failure' : 'other';
  const speculative = fields.get('speculativeAuthenticate');
  if (isSpeculative && !speculative) return 'other';
  const answer = speculative ? fieldsOf(speculative.value) : fields;
  return numberIn(answer, 'done') === 0 ? 'goes_on' : 'success';
}
