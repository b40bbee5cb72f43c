import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../platform/assets.ts';
import { sources, violations } from './borders.ts';

test('accepts all imports of this repository', () => {
  const found = sources().flatMap((file) => violations(file, readFileSync(join(packageRoot, file), 'utf8')));
  assert.deepEqual(found, []);
});

/** Imports that the check refuses, by file name. The check also reads this file, but ignores double quotes. */
const refused = {
  'daemon/bans/index.ts': 'import { dial } from "../app/main.ts";',
  'daemon/plane/plane.ts': 'import type {\n  Guard,\n} from "../../cli/main.ts";',
  'platform/assets.ts': 'const late = await import("../contract/values/address.ts");',
  'bench/main.ts': 'import { log } from "../e2e/support/guardcli.ts";',
  'contract/regex/grammar.ts': 'import { limits } from "../policy/limits.ts";',
  'cli/program/command.ts': 'const late = await import("../views/stages.tsx");',
  'cli/sandbox/plan/plan.ts': 'import type { Stage } from "../session/state.ts";',
};

for (const [file, text] of Object.entries(refused)) {
  test(`refuses ${text.replaceAll('\n', ' ')} in ${file}`, () => {
    assert.equal(violations(file, text.replaceAll('"', "'")).length, 1);
  });
}
