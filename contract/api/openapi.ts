/** The OpenAPI 3.1 document of the management API. */
import * as z from 'zod/mini';
import { eventLines } from '../events/members.ts';
import { lineSchema } from '../events/schema.ts';
import { jsonSchema } from '../schema/json-schema.ts';
import { type ApiErrorCode, apiErrors } from './errors.ts';
import type { ObjectSchema, Operation } from './operation.ts';
import { operations } from './operations.ts';
import { ErrorAnswer } from './records.ts';

type Json = Readonly<Record<string, unknown>>;

const rows: readonly [string, Operation][] = Object.entries(operations);

const schemaReference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const jsonContent = (name: string) => ({ 'application/json': { schema: schemaReference(name) } });

/** Errors that every operation can return. */
const commonErrors: readonly ApiErrorCode[] = [
  'bad_request',
  'bad_query',
  'forbidden_host',
  'forbidden_origin',
  'method_not_allowed',
  'timeout',
  'too_large',
  'expectation_failed',
  'too_many_requests',
  'headers_too_large',
  'internal',
];

function errorsOf({ isPublic, body, errors = [] }: Operation): readonly ApiErrorCode[] {
  const ofBody: readonly ApiErrorCode[] = body ? ['bad_body', 'unsupported_media_type'] : [];
  return [...commonErrors, ...(isPublic ? [] : (['unauthorized'] as const)), ...ofBody, ...errors];
}

/** Response headers by status. */
const errorHeaders: Partial<Record<number, Json>> = {
  401: { 'WWW-Authenticate': { description: '`Bearer`.', schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods of the path.', schema: { type: 'string' } } },
  429: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
  503: { 'Retry-After': { description: 'Seconds to wait, with `store_stalled`.', schema: { type: 'integer' } } },
};

function errorResponses(operation: Operation): Json {
  const byStatus = Object.groupBy(errorsOf(operation), (code) => apiErrors[code].status);
  const entries = Object.entries(byStatus).map(([status, codes = []]) => {
    const description = codes.map((code) => `${code}: ${apiErrors[code].meaning}`).join(' ');
    const headers = errorHeaders[Number(status)];
    return [status, { description, ...(headers && { headers }), content: jsonContent('Error') }];
  });
  return Object.fromEntries(entries);
}

function successResponses({ answer: { status, description, name, mediaType = '', also = {} } }: Operation): Json {
  const content = name ? jsonContent(name) : { [mediaType]: { schema: { type: 'string' } } };
  const entries = Object.entries({ [status]: description, ...also }).map(([code, text]) => [
    code,
    { description: text, content },
  ]);
  return Object.fromEntries(entries);
}

function queryParameters(query: ObjectSchema | undefined): Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...form } = jsonSchema(schema);
    const required = !z.safeParse(schema, undefined).success;
    return { name, in: 'query', required, description, schema: form };
  });
}

const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last received event.',
  schema: { type: 'string', pattern: '^[a-z0-9]{1,16}-[0-9]{1,15}$' },
};

const capitalized = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;

function operationOf(name: string, operation: Operation): Json {
  const { summary, description, query, body, isPublic } = operation;
  const parameterList = [...queryParameters(query), ...(name === 'events' ? [lastEventId] : [])];
  return {
    operationId: name,
    summary: capitalized(summary),
    ...(description && { description }),
    ...(isPublic ? { security: [{}, { token: [] }] } : {}),
    ...(parameterList.length > 0 && { parameters: parameterList }),
    ...(body && { requestBody: { required: true, content: jsonContent(bodyName(name)) } }),
    responses: { ...successResponses(operation), ...errorResponses(operation) },
  };
}

const bodyName = (name: string): string => `${capitalized(name)}Request`;

function schemas(): Json {
  const namedSchemas: [string, z.core.$ZodType][] = rows.flatMap(([name, { body, answer }]) => [
    ...(body ? [[bodyName(name), body] as [string, z.core.$ZodType]] : []),
    ...(answer.schema && answer.name ? [[answer.name, answer.schema] as [string, z.core.$ZodType]] : []),
  ]);
  const all: [string, z.core.$ZodType][] = [...namedSchemas, ['Error', ErrorAnswer]];
  const events = ['SecurityEvent', lineSchema(eventLines.security_event)] as const;
  return Object.fromEntries([...all.map(([name, schema]) => [name, jsonSchema(schema)] as const), events]);
}

/** Returns the document. `version` is the version of the daemon. `needsToken` is true when a token is configured. */
export function openApi(version: string, needsToken: boolean): Json {
  const paths = rows.map(([name, operation]) => [
    operation.path,
    { [operation.method.toLowerCase()]: operationOf(name, operation) },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'tcp-guard management API',
      version,
      description: 'Every path also exists under /api. The Unix socket needs no token.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }, { url: '/api' }],
    security: needsToken ? [{ token: [] }] : [{}, { token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: '`api.auth_token`, when it is set.' } },
    },
  };
}
