import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { line, render, word, wrapped } from './caddyfile.ts';

const words: readonly (readonly [string, string, string])[] = [
  ['plain words stand bare', 'X-Original-URL', 'X-Original-URL'],
  ['addresses stand bare', '2001:db8::/32', '2001:db8::/32'],
  ['an empty text is quoted', '', '""'],
  ['prose stands in double quotes', "it's off # now", '"it\'s off # now"'],
  ['patterns stand in backquotes', '(?i)\\.env$', '`(?i)\\.env$`'],
  ['lines stay in one word', 'a\nb', '"a\nb"'],
  ['backquotes move the rest into double quotes', '`a "b"', '"`a \\"b\\""'],
  ['a backslash before a quote leaves no plain quoting', '`\\"', '`{guard.backquote}\\"`'],
  ['nor does one at the end', '`\\', '`{guard.backquote}\\`'],
  ['an environment variable is broken up', '{$HOME}', '`{guard.brace}$HOME}`'],
  ['a variable of ours is left alone', '${SECRET}', '`${SECRET}`'],
  ['a shorthand is broken up', 'from {host}', '"from {guard.brace}host}"'],
  ['our own placeholders are broken up', '{guard.brace}', '"{guard.brace}guard.brace}"'],
  ['braces of JSON are left alone', '{"a":{}}', '`{"a":{}}`'],
  ['braces of CSS are left alone', 'p{color:red}', '"p{color:red}"'],
  ['counts of a pattern are left alone', 'a{2,3}', '"a{2,3}"'],
  ['what opens a block is quoted', '{', '"{"'],
  ['what begins a here-document is quoted', '<<END', '"<<END"'],
  ['what begins a comment is quoted', '#', '"#"'],
];

describe('a word of a Caddyfile', () => {
  for (const [name, text, expected] of words) it(name, () => assert.equal(word(text), expected));
});

describe('lines of a Caddyfile', () => {
  it('are words behind a key', () => assert.equal(line('key', 'a b', 3, true), 'key "a b" 3 true'));
  it('go on under the same key when they grow long', () => {
    const hosts = Array.from({ length: 30 }, (_, index) => `host${index}.example`);
    const lines = wrapped('hosts', hosts);
    assert.ok(lines.length > 1);
    for (const text of lines) assert.ok(text.startsWith('hosts ') && text.length <= 100);
    assert.deepEqual(
      lines.flatMap((text) => text.split(' ').slice(1)),
      hosts,
    );
  });
  it('hold a value that is longer than a line', () => assert.equal(wrapped('k', ['x'.repeat(200)])[0]?.length, 202));
  it('are indented with tabs by level', () => {
    assert.equal(render(['a', { head: 'b', items: ['c', { head: 'd', items: [] }] }]), 'a\nb {\n\tc\n\td {\n\t}\n}\n');
  });
});
