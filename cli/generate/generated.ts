/** Output of `generate`. Each form is a row in cli/targets/table.ts. */
import type { Policy } from '../../contract/policy/schema.ts';

export interface Generated {
  readonly text: string;
}
export type Generate = (policy: Policy) => Generated;
