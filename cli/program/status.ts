/** The status that a blocked request is answered with. */
import { modes } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';

/** Null when the response mode sends no status of its own. */
export function statusOf({ mode, statusCode }: Policy['response']): number | null {
  const usual = modes[mode].statusCode;
  return usual === null ? null : (statusCode ?? usual);
}
