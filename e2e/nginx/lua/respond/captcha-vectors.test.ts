import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageRoot } from '../../../../platform/assets.ts';
import { startNginx } from './nginx.ts';

for (const name of ['signed', 'compared']) test(`what is ${name} is what the vectors say`, (t) => compare(t, name));

async function compare(t: TestContext, name: string): Promise<void> {
  const path = join(packageRoot, `conformance/vectors/captcha-${name}.json`);
  const groups: readonly { readonly tests: readonly unknown[] }[] = JSON.parse(readFileSync(path, 'utf8'));
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
}
