import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { asVariable, packArchive, variableLimit } from './archive.ts';

test('builds the same archive from the same files', async () => {
  const files = [{ name: 'Caddyfile', text: ':80 {\n\tguard\n}\n# é' }];
  const packed = await packArchive(files);
  assert.deepEqual(packed, await packArchive(files));
  const tar = gunzipSync(packed).toString('utf8');
  assert.ok(tar.startsWith('Caddyfile\0') && tar.includes(':80 {\n\tguard\n}\n# é'));
});

test('returns no variable for an archive over the size limit', async () => {
  const large = await packArchive([{ name: 'x', text: randomBytes(variableLimit).toString('latin1') }]);
  assert.equal(asVariable(large), undefined);
  assert.match(asVariable(await packArchive([])) ?? '', /^[A-Za-z0-9+/]+=*$/);
});
