/** States and passes of mode captcha are those of the shared vectors. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../platform/assets.ts';
import { startNginx } from './nginx.ts';

const path = join(packageRoot, 'contract/vectors/captcha-signed.json');
const groups: readonly { readonly tests: readonly unknown[] }[] = JSON.parse(readFileSync(path, 'utf8'));

test('what mode captcha signs is what the vectors say', async (t) => {
  const locations = `
    location = /vectors {
      content_by_lua_block {
        local failures, count = require("t.captcha_vectors")(${JSON.stringify(path)})
        ngx.print(failures, count, " tests")
      }
    }`;
  const { port } = await startNginx(t, { policies: {}, locations });
  const wanted = `${groups.flatMap(({ tests }) => tests).length} tests`;
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/vectors`)).text(), wanted);
});
