/** An invisible X11 display for clients that need one. */
import { startProgram, terminate, waitUntilListening } from './commands.ts';

const number = 71;
const port = 5900 + number; // VNC port of the display

/** Name of the display for the variable DISPLAY. */
export const display = `:${number}`;

/** Starts the display. @returns a function that stops it */
export async function startScreen(): Promise<() => Promise<void>> {
  const child = startProgram('Xvnc', [
    display,
    '-SecurityTypes',
    'None',
    '-localhost',
    '-geometry',
    '320x240',
    '-desktop',
    'x',
  ]);
  await waitUntilListening(port);
  return () => terminate(child);
}
