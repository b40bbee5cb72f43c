/** A form that a policy can be translated into. Each one is a file here and a row in index.ts. */
import type { Policy } from '../../contract/policy/schema.ts';

export interface Generated {
  /** The whole output, with its final newline. */
  readonly text: string;
}
export type Generate = (policy: Policy) => Generated;

export interface GenerateTarget {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<Generate>;
}
