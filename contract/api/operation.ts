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
  /** Media type of a text response. */
  readonly mediaType?: string;
  /** Descriptions of further statuses, by status. Their responses have the same schema. */
  readonly also?: Readonly<Record<number, string>>;
}

export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Every path also exists below /api. */
  readonly path: `/${string}`;
  /** One clause, shown in lists. */
  readonly summary: string;
  readonly description?: string;
  /** The operation needs no token. */
  readonly isPublic?: true;
  /** Query parameters, all of type text. */
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  readonly answer: GoodAnswer;
  /** Errors in addition to those that every operation can return. */
  readonly errors?: readonly ApiErrorCode[];
}
