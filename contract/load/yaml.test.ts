import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../policy/limits.ts';
import { memberAt } from './tree.ts';
import { readYaml } from './yaml.ts';

const readable = (text: string) => {
  const { root, faults } = readYaml(text);
  assert.deepEqual(faults, []);
  return root?.value;
};

const messagesOf = (text: string) => readYaml(text).faults.map(({ message }) => message);

describe('readYaml', () => {
  it('reads YAML 1.2: off, no and NO are text', () => {
    assert.deepEqual(readable('a: off\nb: [no, NO, yes]\nc: 0x10\nd: 010\ne: null\nf:\n'), {
      ...{ a: 'off', b: ['no', 'NO', 'yes'], c: 16, d: 10, e: null, f: null },
    });
  });

  it('reads JSON', () => assert.deepEqual(readable('{"a": [1, true, "x"]}'), { a: [1, true, 'x'] }));

  it('keeps the spelling of keys that look like numbers', () => {
    assert.deepEqual(readable('022: a\n1e3: b\ntrue: c'), { '022': 'a', '1e3': 'b', true: 'c' });
  });

  it('writes aliases out', () => {
    assert.deepEqual(readable('a: &x {b: 1}\nc: *x\n'), { a: { b: 1 }, c: { b: 1 } });
  });

  it('reports the positions of keys and values', () => {
    const text = 'a:\n  - b: 1\n    c: [x, y]\n';
    const { root } = readYaml(text);
    const member = root && memberAt(root, ['a', 0, 'c']);
    assert.deepEqual([member?.start, member?.node.start], [text.indexOf('c:'), text.indexOf('[x')]);
  });

  it('finds repeated keys', () => {
    const [fault] = readYaml('a: 1\nb: 2\na: 3\n').faults;
    assert.deepEqual([fault?.offset, fault?.earlier, fault?.path], [10, 0, ['a']]);
  });

  it('reports one fault for each line', () => {
    assert.deepEqual(
      readYaml('a: [1, 2\nb: }\nc: "\\q \\q"\n').faults.map(({ offset }) => offset > 0),
      [true, true],
    );
  });

  it('says what to do about a wrong indent', () => {
    for (const text of ['a:\n   b: 1\n  c: 2\n', 'a: 1\n b: 2\n', 'a:\n  - b\n - c\n'])
      assert.match(readYaml(text).faults[0]?.hint ?? '', /^indent the keys of one object by the same number of blanks/);
  });

  it('bounds the expansion of aliases', () => {
    const names = 'abcdefghi'.split('');
    const line = (name: string, index: number) =>
      `${name}: &${name} [${Array(9)
        .fill(index === 0 ? '1' : `*${names[index - 1]}`)
        .join()}]`;
    assert.deepEqual(messagesOf(names.map(line).join('\n')), [
      `with its aliases the file has more than ${limits.fileValues} values`,
    ]);
  });

  it('does not follow nesting beyond the bound', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    assert.deepEqual(messagesOf(nested(limits.fileNesting)), []);
    for (const text of [
      nested(limits.fileNesting + 1),
      '['.repeat(100_000),
      '- '.repeat(100_000),
      '{a: '.repeat(50_000),
    ])
      assert.deepEqual(messagesOf(text).slice(0, 1), ['the nesting is deeper than 64']);
  });
});

describe('readYaml, of comments', () => {
  it('keeps positions behind comments, and directives', () => {
    const text = '# one\n\t # "two\r\n\n%YAML 1.2\n---\n#3\na: b # c\nd: 1\n';
    const { root, faults } = readYaml(text);
    assert.deepEqual([faults, root?.value], [[], { a: 'b', d: 1 }]);
    assert.equal(root && memberAt(root, ['a'])?.start, text.indexOf('a: b'));
    const [fault] = readYaml('# x\n#\n  a: [\n').faults;
    assert.equal(fault && fault.offset > '# x\n#\n'.length, true);
  });

  it('reads a file of comments as empty', () => {
    for (const text of ['#', '# a\n#b', '#\n'.repeat(4_000_000)])
      assert.deepEqual(readYaml(text), { isEmpty: true, faults: [] });
  });
});

const faults: [string, string, RegExp][] = [
  ['an unknown alias', 'a: *x', /there is no anchor &x before it/],
  ['an alias before its anchor', 'a: *x\nb: &x 1', /there is no anchor &x before it/],
  ['a list as a key', '[a, b]: 1', /a key has to be text/],
  ['a second document', 'a: 1\n---\nb: 2\n', /multiple documents/],
  ['an unknown tag', 'a: !!js/function "x"', /Unresolved tag/],
  ['a tab as indentation', 'a:\n\tb: 1\n', /Tabs|tab/],
  ['an alias of what contains it', '&a [*a]', /nesting is deeper than 64/],
];

describe('YAML that is refused', () => {
  it('refuses texts and keys in curly quotes, but not those within straight ones', () => {
    assert.deepEqual(messagesOf('a: \u201c/var/log/x\u201d\n\u201cb\u201d: 1\nc: [\u2018x\u2019]\n'), [
      '\u201c/var/log/x\u201d is in curly quotes, which YAML reads as a part of the text',
      '\u201cb\u201d is in curly quotes, which YAML reads as a part of the text',
      '\u2018x\u2019 is in curly quotes, which YAML reads as a part of the text',
    ]);
    assert.deepEqual(readable('a: "\u201cx\u201d"\nb: \u201cx\u201d or y\n'), {
      a: '\u201cx\u201d',
      b: '\u201cx\u201d or y',
    });
  });

  for (const [what, text, message] of faults)
    it(`refuses ${what}`, () => assert.match(messagesOf(text).join('\n'), message));
});
