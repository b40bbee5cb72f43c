/** An invisible X11 display for clients that need one. */
import { startServer } from './commands.ts';

const number = 71;
const port = 5900 + number; // VNC port of the display

export const display = `:${number}`;

export const startScreen = () =>
  startServer({ vnc: port }, 'Xvnc', [
    display,
    '-SecurityTypes',
    'None',
    '-localhost',
    '-geometry',
    '320x240',
    '-desktop',
    'x',
  ]);
