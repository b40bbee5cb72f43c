import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import { test } from 'node:test';

/** Runs a function 1,000 times and prints the bits of its optimization status. V8's own limit is 3,000. */
const program = `
import { preferFastCalls } from '${import.meta.resolve(`./v8-flags${extname(import.meta.filename)}`)}';
const [, chosen] = process.argv;
if (chosen === 'fast') preferFastCalls();
const sum = (one, other) => one + other;
const call = (count) => { for (let at = 0; at < count; at += 1) sum(at, 1); };
for (let turn = 0; turn < 100; turn += 1) { call(10); await new Promise(setImmediate); }
process.stdout.write(String(%GetOptimizationStatus(sum)));
`;
/** Bits of V8's OptimizationStatus. */
const [maglev, turbofan] = [16, 32];

function statusAfterCalls(chosen: string): number {
  const flags = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--input-type=module'];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', program, '--', chosen], { encoding: 'utf8' });
  assert.match(stdout, /^\d+$/, stderr);
  return Number(stdout);
}

test('functions of the relay are compiled by the optimizing compiler after hundreds of calls', () => {
  const status = statusAfterCalls('fast');
  assert.equal(status & turbofan, turbofan, `status ${status}`);
  assert.equal(status & maglev, 0, `status ${status}`);
  assert.equal(statusAfterCalls('default') & turbofan, 0);
});
