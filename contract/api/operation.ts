/** An operation of the management API. */
import type * as z from 'zod/mini';
import type { ApiErrorCode } from './errors.ts';

export type ObjectSchema = z.ZodMiniObject<Readonly<Record<string, z.core.$ZodType>>, z.core.$strict>;

/** The successful response: JSON of a schema, or text of a media type. */
interface GoodAnswer {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema?: z.core.$ZodType;
  /** Name of the schema in the components of the document. */
  readonly name?: string;
  /** The type of the text, without a schema. */
  readonly mediaType?: string;
  /** Other statuses with the same schema, and their meanings. */
  readonly also?: Readonly<Record<number, string>>;
}

export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Without the prefix /api, under which it exists too. */
  readonly path: `/${string}`;
  /** One clause, for lists. */
  readonly summary: string;
  /** Details, in sentences. */
  readonly description?: string;
  /** Needs no token. */
  readonly isPublic?: true;
  /** The parameters of the query. All are texts. Absent: none. */
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  readonly answer: GoodAnswer;
  /** Errors in addition to those of every operation. */
  readonly errors?: readonly ApiErrorCode[];
}
