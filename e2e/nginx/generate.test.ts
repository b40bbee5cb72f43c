/** The real nginx receives the original policy from the output of `guardcli generate nginx`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { generateNginx, mainDirectives } from '../../cli/generate/nginx.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { camelCaseKeys, hostileTexts, load, policies } from '../support/carried-policies.ts';
import { nginxFolder, runNginx, withoutNginx } from './process.ts';

/** A Lua module that replaces the guard. Its `init` prints the policy as JSON and ends nginx. */
const reader = `
local cjson = require("cjson")
return { init = function(policy, name)
    assert(name == nil)
    io.stdout:write("policy ", cjson.encode(policy), "\\n")
    io.stdout:flush()
    os.exit(0)
end }
`;

const luaFolder = join(packageRoot, 'module/lua');

/** Writes a configuration that loads Lua modules from the folder of the test. */
function place(policy: Policy, guard: string) {
  const main = mainDirectives([policy]).map(({ text }) => `${text}\n`);
  const http = generateNginx(policy).replaceAll('/usr/local/share/lua/5.1/', '$prefix/');
  return nginxFolder({ main: main.join(''), http, files: { 'guard.lua': guard } });
}

function roundTrip(policy: Policy): void {
  const placed = place(policy, reader);
  const { output } = runNginx(placed);
  const [, json] = /^policy ([^\n]*)\n/m.exec(output) ?? assert.fail(output);
  const file = JSON.parse(json as string);
  const { $schema, tcp, ...expected } = policy;
  // A Lua table without keys is encoded as a list.
  assert.deepEqual(load(camelCaseKeys(Array.isArray(file) ? {} : file)), expected);
}

describe('nginx hands its policy to the guard', { skip: withoutNginx }, () => {
  for (const [name, file] of Object.entries(policies)) it(name, () => roundTrip(load(file)));
  it('the example', () => roundTrip(load(JSON.parse(readFileSync(join(packageRoot, 'examples/guard.json'), 'utf8')))));
});

describe('hostile text survives nginx', { skip: withoutNginx }, () => {
  for (const text of hostileTexts)
    it(JSON.stringify(text).slice(0, 60), () => roundTrip(load({ response: { body: text, headers: { 'X-A': 'b' } } })));
  it('all of it in one list', () => {
    const rules = hostileTexts.map((text, index) => {
      return { id: `rule-${index}`, action: 'block', pattern: 'x', description: text.slice(0, 200) };
    });
    roundTrip(load({ rules }));
  });
  it('a body of the largest size', () => roundTrip(load({ response: { body: `"\\]]é${'x'.repeat(2 ** 20 - 6)}` } })));
  it('as many addresses as a policy takes', () => {
    const allowedIps = Array.from({ length: 10_000 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`);
    roundTrip(load({ allowedIps }));
  });
});

describe('the guard in nginx takes', { skip: withoutNginx }, () => {
  Object.assign(process.env, { GUARD_SECRET: 'a secret of the tests', CAPTCHA_SECRET: 'another one' });
  /** Lua code that ends nginx when the guard has accepted the policy. */
  const taken = '    io.stdout:write("taken\\n") io.stdout:flush() os.exit(0)\n}\n\n# Every server';
  for (const [name, file] of Object.entries(policies))
    it(name, () => {
      const policy = load(file);
      const main = mainDirectives([policy]).map(({ text }) => `${text}\n`);
      const text = generateNginx(policy);
      const http = text.replaceAll('/usr/local/share/lua/5.1', luaFolder).replace(/\}\n\n# Every server/, () => taken);
      const { output } = runNginx(nginxFolder({ main: main.join(''), http }));
      assert.match(output, /^taken$/m);
    });
});

describe('a generated file', { skip: withoutNginx }, () => {
  it('passes nginx -t', () => {
    for (const file of Object.values(policies)) {
      const { status, output } = runNginx(place(load(file), reader), '-t');
      assert.equal(status, 0, output);
    }
  });
  it('says what belongs into the main context', () => {
    const policy = load(policies['everything at once']);
    const text = generateNginx(policy);
    for (const { text: directive } of mainDirectives([policy]))
      assert.ok(text.includes(`#     ${directive}`), directive);
    assert.match(text, /^# {5}env CAPTCHA_SECRET;/m);
  });
});
