#!/usr/bin/env -S node --inspect-port=192.0.2.1:0
/** Where tcp-guard starts. Signals are caught before the rest is loaded: until then SIGHUP would end the process. */
import { catchSignals } from './signals.ts';

catchSignals();
await import('./main.ts');
