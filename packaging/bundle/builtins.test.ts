import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBuiltinImports } from './builtins.ts';

const module = (name: string): string => `globalThis.process.getBuiltinModule('node:${name}')`;

const cases: readonly (readonly [string, string, string])[] = [
  ['names', "import { join, resolve as r } from 'node:path';", `const { join, resolve: r } = ${module('path')};`],
  ['a whole module', 'import fs from "node:fs";', `const fs = ${module('fs')};`],
  ['a namespace', "import * as os from 'node:os'", `const os = ${module('os')};`],
  ['both', "import fs, { a } from 'node:fs';", `const fs = ${module('fs')}; const { a } = ${module('fs')};`],
  ['lines', "import {\n  a,\n  b,\n} from 'node:fs/promises';", `const { a, b } = ${module('fs/promises')};`],
  ['types among names', "import { type A, b } from 'node:fs';", `const { b } = ${module('fs')};`],
  ['types alone are left', "import type { A } from 'node:fs';", "import type { A } from 'node:fs';"],
  [
    'others are left',
    "import { z } from 'zod';\nimport x from './x.ts';",
    "import { z } from 'zod';\nimport x from './x.ts';",
  ],
  ['dynamic ones are left', "await import('node:fs');", "await import('node:fs');"],
];

describe('imports of modules of Node in bundles', () => {
  for (const [name, source, expected] of cases) {
    it(name, () => assert.equal(withoutBuiltinImports(source), expected));
  }
  it('that are seldom used wait until they are', () => {
    assert.match(withoutBuiltinImports("import c from 'node:child_process';"), /^const c = new Proxy\(/);
  });
});
