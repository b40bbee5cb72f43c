/** What `generate` makes of a policy. Each form is a file here and a row in cli/targets/table.ts. */
import type { Policy } from '../../contract/policy/schema.ts';

export interface Generated {
  /** The whole output, with its final newline. */
  readonly text: string;
}
export type Generate = (policy: Policy) => Generated;
