import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineText, renderItems, wordText, wrappedLines } from './caddyfile.ts';

const words: readonly (readonly [string, string, string])[] = [
  ['plain words are bare', 'X-Original-URL', 'X-Original-URL'],
  ['addresses are bare', '2001:db8::/32', '2001:db8::/32'],
  ['an empty text is quoted', '', '""'],
  ['prose is in double quotes', "it's off # now", '"it\'s off # now"'],
  ['patterns are in backquotes', '(?i)\\.env$', '`(?i)\\.env$`'],
  ['line breaks stay in one word', 'a\nb', '"a\nb"'],
  ['text with backquotes is in double quotes', '`a "b"', '"`a \\"b\\""'],
  ['a backslash before a quote needs a placeholder', '`\\"', '`{guard.backquote}\\"`'],
  ['a backslash at the end needs a placeholder', '`\\', '`{guard.backquote}\\`'],
  ['a backslash before a brace needs a placeholder', '\\{a\\}', '`{guard.backslash}{a{guard.backslash}}`'],
  ['a backslash before a placeholder, too', '`\\`\\', '`{guard.backquote}{guard.backslash}{guard.backquote}\\`'],
  ['a backslash before a shorthand, too', '\\{host}', '`{guard.backslash}{guard.brace}host}`'],
  ['an environment variable is split by a placeholder', '{$HOME}', '`{guard.brace}$HOME}`'],
  ['a variable of the policy is unchanged', '${SECRET}', '`${SECRET}`'],
  ['a shorthand is split by a placeholder', 'from {host}', '"from {guard.brace}host}"'],
  ['the placeholders of the directive are split by a placeholder', '{guard.brace}', '"{guard.brace}guard.brace}"'],
  ['braces of JSON are unchanged', '{"a":{}}', '`{"a":{}}`'],
  ['braces of CSS are unchanged', 'p{color:red}', '"p{color:red}"'],
  ['counts of a pattern are unchanged', 'a{2,3}', '"a{2,3}"'],
  ['a hundred braces that nothing closes are unchanged', `}${'{'.repeat(100)}`, `"}${'{'.repeat(100)}"`],
  ['more of them are placeholders', `{}${'{ '.repeat(101)}`, `"{}${'{guard.brace} '.repeat(101)}"`],
  ['an opening brace is quoted', '{', '"{"'],
  ['the start of a here-document is quoted', '<<END', '"<<END"'],
  ['the start of a comment is quoted', '#', '"#"'],
];

describe('a word of a Caddyfile', () => {
  for (const [name, text, expected] of words) it(name, () => assert.equal(wordText(text), expected));
});

describe('lines of a Caddyfile', () => {
  it('join a key and words', () => assert.equal(lineText('key', 'a b', 3, true), 'key "a b" 3 true'));
  it('repeat the key when they grow long', () => {
    const hosts = Array.from({ length: 30 }, (_, index) => `host${index}.example`);
    const lines = wrappedLines('hosts', hosts);
    assert.ok(lines.length > 1);
    for (const text of lines) assert.ok(text.startsWith('hosts ') && text.length <= 100);
    assert.deepEqual(
      lines.flatMap((text) => text.split(' ').slice(1)),
      hosts,
    );
  });
  it('hold a value that is longer than the limit', () =>
    assert.equal(wrappedLines('k', ['x'.repeat(200)])[0]?.length, 202));
  it('are indented with one tab per level', () => {
    assert.equal(
      renderItems(['a', { head: 'b', items: ['c', { head: 'd', items: [] }] }]),
      'a\nb {\n\tc\n\td {\n\t}\n}\n',
    );
  });
});
