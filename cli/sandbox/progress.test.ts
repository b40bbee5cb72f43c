import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuardEvent } from './output.ts';
import { advance, type News, type SandboxProgress } from './progress.ts';

const fold = (news: readonly News[]): SandboxProgress =>
  news.reduce<SandboxProgress | undefined>(advance, undefined) as SandboxProgress;

test('a stage that is done takes the place of the running one and ends its build lines', () => {
  const running = { name: 'image', state: 'running', milliseconds: 0, detail: '' } as const;
  const done = { ...running, state: 'done', milliseconds: 5, detail: 'x' } as const;
  const progress = fold([
    { kind: 'stage', stage: running },
    { kind: 'build', line: 'Step 1' },
    { kind: 'stage', stage: done },
  ]);
  assert.deepEqual(progress.stages, [done]);
  assert.equal(progress.buildLine, undefined);
});

test('the latest events are kept and all of them are counted, suppressed ones too', () => {
  const event = (index: number): News => ({ kind: 'event', event: { candidate: String(index) } as GuardEvent });
  const progress = fold([...Array.from({ length: 30 }, (_, index) => event(index)), { kind: 'summary', count: 70 }]);
  assert.equal(progress.eventCount, 100);
  assert.equal(progress.events.length, 12);
  assert.deepEqual(progress.events.at(-1), { number: 30, event: { candidate: '29' } });
});
