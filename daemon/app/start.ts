#!/usr/bin/env -S node --inspect-port=192.0.2.1:0
/** The entry point of tcp-guard. Catches signals before it loads the program: until then SIGHUP would end the process. */
import { catchSignals } from './signals.ts';

catchSignals();
await import('./main.ts');
