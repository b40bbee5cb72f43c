import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { libc, skip } from '../../process/libc/testing/libc.ts';
import { type Pipe, Pipes } from './pools.ts';

test('readers that stall hold a bounded number of pipes', { skip }, () => {
  const pipes = new Pipes(libc);
  const held = Array.from({ length: daemonBounds.pipes }, () => pipes.acquire() as Pipe);
  assert.equal(new Set(held).size, daemonBounds.pipes);
  assert.equal(pipes.acquire(), undefined);
  const [full, empty, ...others] = held as [Pipe, Pipe, ...Pipe[]];
  full.length = 1; // a pipe with data, whose connection has ended
  for (const given of [full, empty]) {
    pipes.release(given);
    held.push(pipes.acquire() as Pipe);
    assert.equal(pipes.acquire(), undefined);
  }
  assert.ok(full.input.isClosed && held.at(-1) === empty);
  for (const pipe of [...others, ...held.slice(-2)]) {
    pipe.input.close(libc);
    pipe.output.close(libc);
  }
});
