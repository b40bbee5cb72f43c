import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addException } from './edit.ts';

const exception = { rules: ['env-file', 'hidden-seg'], path: '^/a/\\.env$', hosts: ['example.com'] };
const added = '{ "rules": ["env-file", "hidden-seg"], "path": "^/a/\\\\.env$", "hosts": ["example.com"] }';
const other = '{"rules":["env-file"],"path":"\\"]},{"}';

/** A name, the text before the insertion, the inserted text, and the text after it. */
const texts: readonly (readonly [string, string, string, string])[] = [
  ['an empty policy', '{', `\n  "exceptions": [\n    ${added}\n  ]\n`, '}'],
  ['a policy on one line', '{"mode":"detect"', `, "exceptions": [${added}]`, '}'],
  [
    'a last key that is a mapping',
    '{\n\t"mode": "detect",\n\t"response": {"body": "}\\"]"}',
    `,\n\t"exceptions": [\n\t\t${added}\n\t]`,
    '\n}\n',
  ],
  ['a list on one line', `{"exceptions":[${other}`, `, ${added}`, '] , "mode":"detect"}'],
  [
    'a list on several lines',
    `{\n    "exceptions": [\n        ${other}`,
    `,\n        ${added}`,
    '\n    ],\n    "mode": "detect"\n}\n',
  ],
  ['lines that end in CRLF', `{\r\n  "mode": "detect"`, `,\r\n  "exceptions": [\r\n    ${added}\r\n  ]`, '\r\n}\r\n'],
];

describe('an exception is added', () => {
  for (const [name, before, inserted, after] of texts) {
    it(`to ${name}, and every other character stays`, () => {
      assert.equal(addException(before + after, exception), before + inserted + after);
    });
  }
  it('in place of an empty list', () => {
    const text = '{\n  "exceptions": [ ],\n  "mode": "detect"\n}';
    assert.equal(addException(text, exception), text.replace('[ ]', `[\n    ${added}\n  ]`));
  });
  it('with the same result for every form of the file', () => {
    const policy = {
      mode: 'detect',
      exceptions: [{ rules: ['env-file'], path: '[\\]"{]' }],
      blockPatterns: ['a', '}'],
    };
    for (const indent of [undefined, 1, 2, 8, '\t']) {
      const edited = addException(JSON.stringify(policy, undefined, indent), exception);
      assert.deepEqual(JSON.parse(edited), { ...policy, exceptions: [...policy.exceptions, exception] });
    }
  });
});
