/** Tests that only the Loki of the stack receives the secret of the stack. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Context } from '../../program/context.ts';
import { lokiUrl } from './options.ts';

test('the secret of the stack goes to its port, and not to another one that --loki-port names', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'guard-stack-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const secret = '0123456789abcdef0123456789abcdef';
  writeFileSync(join(dir, '.env'), `GUARD_LOKI_PORT=4100\nGUARD_SECRET=${secret}\n`);
  const context = { env: {}, cwd: dir } as unknown as Context;
  assert.equal(lokiUrl({ dir }, context), `http://127.0.0.1:4100/${secret}`);
  assert.equal(lokiUrl({ dir, lokiPort: '4100' }, context), `http://127.0.0.1:4100/${secret}`);
  assert.equal(lokiUrl({ dir, lokiPort: '4101' }, context), 'http://127.0.0.1:4101');
});
