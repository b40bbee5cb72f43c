import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { loadDaemon } from './index.ts';

const page = readFileSync(join(packageRoot, 'docs/host.md'), 'utf8');
const examples = page.match(/(?<=^```yaml\n)[^`]+(?=^```)/gm) ?? [];

describe('the examples of configurations in docs/host.md', () => {
  for (const text of examples)
    it(`loads:\n${text}`, () => {
      const loaded = loadDaemon(Buffer.from(/^version:/m.test(text) ? text : `version: 1\n${text}`), 'host.md', {});
      assert.ok(loaded.ok, JSON.stringify(loaded));
    });
});
