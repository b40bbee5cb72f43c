import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../platform/assets.ts';
import { exceptions, findUses, usesIn } from './words.ts';

test('comments, messages and documentation use the terms of the glossary', () => {
  assert.deepEqual(findUses(), []);
});

const refused = [
  '// Nobody answers.',
  "throw new Error('mend the file')",
  'The port is no number.',
  '-- the rest of it',
];
for (const text of refused) {
  test(`refuses ${text}`, () => assert.equal(usesIn('cli/x.ts', text).length, 1));
}

const accepted = ['// There is no port.', 'const standard = 1;', 'The address is no longer banned.'];
for (const text of accepted) {
  test(`accepts ${text}`, () => assert.deepEqual(usesIn('cli/x.ts', text), []));
}

test('each exception names a line that uses such a word', () => {
  const unused = exceptions.filter(([file, line]) => {
    const lines = readFileSync(join(packageRoot, file), 'utf8').split('\n');
    return !lines.some((text) => text.includes(line) && usesIn('', text).length > 0);
  });
  assert.deepEqual(unused, []);
});
