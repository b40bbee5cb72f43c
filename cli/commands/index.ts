/** The table of commands. A row is all that the list of commands needs; `load` brings the code of the chosen one alone. */
import type { CommandRow } from '../command.ts';

export const commands: readonly CommandRow[] = [];
