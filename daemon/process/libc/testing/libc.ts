/** For tests that call libc. */
import type { Libc } from '../libc.ts';
import { openLibc } from '../open.ts';

const opened = openLibc();
/** Why this machine cannot run such tests. False when it can. */
export const skip: string | false = 'missing' in opened && opened.missing;
/** Only tests that are not skipped may use it. */
export const { libc } = opened as { readonly libc: Libc };
