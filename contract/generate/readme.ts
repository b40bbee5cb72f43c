/** The table of README.md. */
import { type ModeRow, modes } from '../policy/modes.ts';
import { code, table } from './markdown.ts';

function modeTable(): string {
  const rows = Object.entries(modes).map(([name, { summary, statusCode }]: [string, ModeRow]) => [
    code(name),
    summary,
    String(statusCode ?? ''),
  ]);
  return table(['mode', 'a blocked client gets', 'status'], rows);
}

/** By the name of its markers. */
export const readmeTables = { modes: modeTable } as const;
