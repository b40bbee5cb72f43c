import { ExternalError } from '../../platform/errors.ts';

/** What a check found. `hint` is the line that fixes it. */
export const problemError = (message: string, hint: string): ExternalError =>
  new ExternalError(message, { code: 'problem', hint, failed: { tool: 'machine' } });
