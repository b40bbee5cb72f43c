/** What an operation of the management API is. */
import type * as z from 'zod/mini';
import type { ApiErrorCode } from './errors.ts';

export type ObjectSchema = z.ZodMiniObject<Readonly<Record<string, z.core.$ZodType>>, z.core.$strict>;

/** The good answer: JSON of a schema, or text of a media type. */
export interface GoodAnswer {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema?: z.core.$ZodType;
  /** Name of the schema among the components of the document. */
  readonly name?: string;
  /** Without a schema: what the text is. */
  readonly mediaType?: string;
  /** Other statuses with the same schema, and what they mean. */
  readonly also?: Readonly<Record<number, string>>;
}

export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Without the prefix /api, under which it is served as well. */
  readonly path: `/${string}`;
  /** One clause, for lists. */
  readonly summary: string;
  /** What else to know; sentences. */
  readonly description?: string;
  /** Answers without a token. */
  readonly isPublic?: true;
  /** Its parameters; every one is a text of the query. */
  readonly query: ObjectSchema;
  readonly body?: ObjectSchema;
  readonly answer: GoodAnswer;
  /** Its errors, in addition to those of every operation. */
  readonly errors: readonly ApiErrorCode[];
}
