import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventLines } from '../../conformance/events/lines.ts';
import { readEvents } from './event.ts';

describe('the intake', () => {
  for (const { name, line, clients } of eventLines(new Date()))
    it(`counts like every reader a line ${name}`, () => {
      assert.deepEqual(Object.fromEntries(readEvents(line).map(({ ip, count }) => [ip, count])), clients);
    });
});
