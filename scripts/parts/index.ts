/** All parts of the tests, in the order in which they get a place. */
import type { Task } from '../graph/task.ts';
import { goParts } from './go-modules.ts';
import { luaParts } from './lua.ts';
import { programParts } from './programs.ts';
import { proofParts } from './proofs.ts';
import { sourceParts } from './source.ts';

export const parts: readonly Task[] = [...proofParts, ...programParts, ...sourceParts, ...goParts, ...luaParts];
