import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut } from './cut.ts';
import { usedMemory } from './testing/used-memory.ts';

test('keeps a part without the text that it comes from', async () => {
  const source = Buffer.alloc(16_384, 'x');
  const before = await usedMemory();
  const parts = Array.from({ length: 2000 }, () => cut(source.toString('latin1'), 256));
  const each = ((await usedMemory()) - before) / parts.length;
  assert.ok(each < 1024, `${each} bytes for a part of ${parts[0]?.length}`);
});

test('changes no character', () => {
  const odd = `\0\x7f\xff\u{1f600}\ud800${'long enough to be a slice'}`;
  assert.equal(cut(odd, 100), odd);
  assert.equal(cut(odd, 15), odd.slice(0, 15));
  assert.equal(cut('short', 3), 'sho');
});
