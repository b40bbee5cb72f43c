#!/usr/bin/env -S node --inspect-port=192.0.2.1:0
/**
 * The entry point of tcp-guard. It catches signals before it loads the program. Until then, SIGHUP would end the
 * process and SIGUSR1 would make Node open a debugger. `--inspect-port` above keeps that debugger from listening:
 * 192.0.2.1 is an address for documentation (RFC 5737), which no host has.
 */
import { catchSignals } from './signals.ts';

catchSignals();
const { nodeProblem } = await import('../../platform/node-version.ts');
const problem = nodeProblem('tcp-guard');
if (problem === undefined) await import('./main.ts');
else {
  process.stderr.write(`tcp-guard: ${problem}\n`);
  process.exitCode = 1;
}
