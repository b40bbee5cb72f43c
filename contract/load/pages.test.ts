import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadDaemon } from './index.ts';

const page = readFileSync(new URL('../../docs/host.md', import.meta.url), 'utf8');
const examples = page.match(/(?<=^```yaml\n)[^`]+(?=^```)/gm) ?? [];

describe('the examples of configurations in docs/host.md', () => {
  for (const text of examples)
    it(`loads:\n${text}`, () => {
      const loaded = loadDaemon(Buffer.from(/^version:/m.test(text) ? text : `version: 1\n${text}`), 'host.md', {});
      assert.ok(loaded.ok, JSON.stringify(loaded));
    });
});
