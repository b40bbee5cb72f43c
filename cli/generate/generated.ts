/** Output of `generate`. Each form is a file here and a row in cli/targets/table.ts. */
import type { Policy } from '../../contract/policy/schema.ts';

export interface Generated {
  /** The whole output, including its final newline. */
  readonly text: string;
}
export type Generate = (policy: Policy) => Generated;
