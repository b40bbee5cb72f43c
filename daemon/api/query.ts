/** Reads and validates the parameters of a request. */
import * as z from 'zod/mini';
import type { ObjectSchema } from '../../contract/api/operation.ts';
import { issuesOf } from '../../contract/load/issues.ts';
import { quoted } from '../../contract/load/quote.ts';
import { ApiFailure } from './failure.ts';

function decodeParameter(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiFailure('bad_query', 'a parameter is not URL-encoded UTF-8');
  }
}

function parsePairs(query: string): [string, string][] {
  const parts = query.split('&').filter((part) => part !== '');
  return parts.map((part) => {
    const at = part.indexOf('=');
    return at < 0
      ? [decodeParameter(part), '']
      : [decodeParameter(part.slice(0, at)), decodeParameter(part.slice(at + 1))];
  });
}

function clauses(issue: z.core.$ZodIssue, schema: ObjectSchema, values: ReadonlyMap<string, string>): string[] {
  const path = issue.path as string[];
  const value = values.get(path[0] ?? '');
  return issuesOf(issue, { path, schemaPlace: { schema, path }, value, writing: 'request' }).map(
    ({ message }) => `${path[0]}: ${message}`,
  );
}

const noParameters = z.strictObject({});

/** Without a schema, every parameter is refused. @throws ApiFailure bad_query */
export function readQuery(query: string, schema: ObjectSchema = noParameters): unknown {
  const values = new Map<string, string>();
  for (const [name, value] of parsePairs(query)) {
    if (!Object.hasOwn(schema.shape, name)) throw new ApiFailure('bad_query', `there is no parameter ${quoted(name)}`);
    if (values.has(name)) throw new ApiFailure('bad_query', `${quoted(name)} is given twice`);
    values.set(name, value);
  }
  const { data, error } = schema.safeParse(Object.fromEntries(values));
  if (error)
    throw new ApiFailure('bad_query', error.issues.flatMap((issue) => clauses(issue, schema, values)).join('; '));
  return data;
}
