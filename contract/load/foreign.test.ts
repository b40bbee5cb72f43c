import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadAny } from './index.ts';

describe('files of other programs', () => {
  for (const [what, text, line, column, hint] of [
    ['a configuration of nginx', 'user www-data;\nevents {}\n', 1, 1, /nginx -T \| guardcli validate --nginx -$/],
    ['a configuration of nginx', '# site\n  server {\n    listen 80;\n}\n', 2, 3, /--nginx/],
    ['a Caddyfile', 'example.com {\n\treverse_proxy 127.0.0.1:3000\n}\n', 1, 1, /caddy validate/],
    ['an INI or TOML file', '[DEFAULT]\nbantime = 1h\n[sshd]\nenabled = true\n', 1, 1, /coming-from\.md/],
  ] as const)
    it(`names ${what} that begins with ${text.slice(0, 10).trim()}`, () => {
      const { loaded } = loadAny(Buffer.from(text), 'file');
      const [problem, ...more] = loaded.ok ? [] : loaded.problems;
      assert.deepEqual(more, []);
      assert.equal(problem?.message, `expected a policy or a configuration of tcp-guard, found ${what}`);
      assert.deepEqual([problem?.line, problem?.column], [line, column]);
      assert.match(problem?.hint ?? '', hint);
    });
});
