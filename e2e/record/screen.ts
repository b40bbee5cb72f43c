/** A screen for clients that want one, of which nothing is seen. */
import { end, listening, start } from './commands.ts';

const number = 71;
const port = 5900 + number; // where anybody may look at it

/** Name of the screen, as DISPLAY has it. */
export const display = `:${number}`;

/** Starts it. @returns what ends it */
export async function startScreen(): Promise<() => Promise<void>> {
  const child = start('Xvnc', [
    display,
    '-SecurityTypes',
    'None',
    '-localhost',
    '-geometry',
    '320x240',
    '-desktop',
    'x',
  ]);
  await listening(port);
  return () => end(child);
}
