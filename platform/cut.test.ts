import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cut } from './cut.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('keeps a part without the text that it comes from', () => {
  const source = Buffer.alloc(16_384, 'x');
  const used = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const parts = Array.from({ length: 2000 }, () => cut(source.toString('latin1'), 256));
  const each = (used() - before) / parts.length;
  assert.ok(each < 1024, `${each} bytes for a part of ${parts[0]?.length}`);
});

test('changes no character', () => {
  const odd = `\0\x7f\xff\u{1f600}\ud800${'long enough to be a slice'}`;
  assert.equal(cut(odd, 100), odd);
  assert.equal(cut(odd, 15), odd.slice(0, 15));
  assert.equal(cut('short', 3), 'sho');
});
