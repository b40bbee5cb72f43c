import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../../contract/policy/limits.ts';
import { nestedStrings } from '../json-strings.ts';
import type { BodyInspection } from '../request.ts';
import { bodyTargets } from './body.ts';
import { multipartPieces } from './multipart.ts';

const most = 1024 * 1024;
const policy = { maxBodyBytes: most, bodyOverflow: 'pass' } as const;

function targetsOf(type: string, body: string, bodyOverflow: 'pass' | 'block' = 'pass') {
  const seen: BodyInspection = { values: 0, bytes: 0 };
  const targets = [...bodyTargets([['Content-Type', type]], body, { ...policy, bodyOverflow }, seen)];
  return { targets, seen };
}

const first = (type: string, body: string) => targetsOf(type, body).targets.map((target) => target.candidates[0]);
const multipartValues = (body: string, boundary: string) =>
  Array.from(multipartPieces(body, boundary), ({ text }) => text).filter((text) => text !== '');

describe('nestedStrings', () => {
  const cases: readonly (readonly [text: string, strings: readonly string[]])[] = [
    ['{"a":"b","c":["d"]}', ['a', 'b', 'c', 'd']],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', ['"\\/\b\f\n\r\t']],
    ['"\\u002e\\u00e9\\ud83d\\ude00"', ['.\xc3\xa9\xf0\x9f\x98\x80']],
    ['"\\ud800x\\udc00\\u12\\q"', ['\\ud800x\\udc00\\u12\\q']],
    ['"\\ud800\\u0041"', ['\\ud800A']],
    ['["open', ['open']],
    ['["open\\', ['open\\']],
    ['no strings', []],
    ['{"a":"[\\"b\\"]"}', ['a', '["b"]', 'b']],
  ];
  for (const [text, strings] of cases)
    it(`finds ${strings.length} in ${text}`, () => assert.deepEqual([...nestedStrings([text])], strings));
});

describe('multipartPieces', () => {
  const part = (head: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const cases: readonly (readonly [name: string, body: string, values: readonly string[]])[] = [
    ['a field', `${part('name="f"', 'v')}--b--`, ['f', 'v']],
    ['a file', part('name=f; filename="a\\b.php"', 'content'), ['f', 'a\\b.php', 'filename=a\\b.php', 'ab.php']],
    [
      'a file whose name has a quotation mark',
      part('filename="a\\"b"', 'v'),
      ['a"b', 'a\\', 'filename=a\\', '"a\\"b"', 'filename="a\\"b"', 'v\r\n'],
    ],
    ['an extended file name', part("filename*=UTF-8''x", 'v'), ["UTF-8''x", 'x', 'v\r\n']],
    ['a name without its closing quote', `${part('name="f', 'v')}--b--`, ['f', '"f', 'v']],
    ['a part without an end', '--b\r\nContent-Disposition: x; name=f\r\n\r\nv', ['f', 'v']],
    ['a head without an end', '--b\r\nContent-Disposition: x; name=f\r\n', ['f']],
    ['a form that servers divide differently, as a whole too', '--b\nX: 1\n\nv', ['X: 1', 'v', '--b\nX: 1\n\nv']],
    ['what follows the final boundary', '--b--\r\n--b\r\n\r\nv', ['--', 'v', '--b--\r\n--b\r\n\r\nv']],
    ['a preamble', `preamble\r\n${part('name=f', 'v')}--b--`, ['f', 'v']],
    ['no boundary', 'name=f', []],
  ];
  for (const [name, body, values] of cases)
    it(`reads ${name}`, () => assert.deepEqual(multipartValues(body, 'b'), values));

  it('takes a boundary of special characters literally', () =>
    assert.deepEqual(multipartValues('--a.b\r\nX: 1\r\n\r\nv\r\n--axb\r\nw', 'a.b'), ['v\r\n--axb\r\nw']));
});

describe('bodyTargets', () => {
  it('read + as a space in forms', () =>
    assert.deepEqual(first('application/x-www-form-urlencoded', 'a+b=c'), ['a+b', 'a b', 'c']));
  it('read JSON of every +json type', () => assert.deepEqual(first('application/problem+json', '"a+b"'), ['a+b']));
  it('inspect every line of a multipart form without a clear boundary', () =>
    assert.deepEqual(first('multipart/form-data', '--b\r\n\r\nv\r\n--b--\r\nw'), [
      'b',
      'v',
      'b--%0D%0Aw',
      '--b%0D%0A%0D%0Av%0D%0A--b--%0D%0Aw',
    ]));

  it('have at most as many candidate bytes as one body may have', () => {
    const hostile = [
      ['application/x-www-form-urlencoded', 'a&'.repeat(most / 2)],
      ['application/x-www-form-urlencoded', '%61+&'.repeat(most / 5)],
      ['application/json', '"'.repeat(most)],
      ['application/json', '"a"'.repeat(most / 3)],
      ['application/json', '"a?"'.repeat(most / 4)],
      ['application/json', `"${'\\'.repeat(most - 1)}`],
      ['multipart/form-data; boundary=b', '--b\r\n'.repeat(most / 5)],
      ['multipart/form-data; boundary=b', `--b\r\nContent-Disposition: x; name="${'\\a'.repeat(most / 2 - 40)}`],
      ['multipart/form-data; boundary=b', `--b\r\nContent-Disposition: x${'; '.repeat(most / 2 - 40)}`],
      [`multipart/form-data; boundary="${'\\"'.repeat(10_000)}`, 'x'],
      [`multipart/form-data; ${'boundary=b;'.repeat(10_000)}`, '--b\r\n'.repeat(most / 5)],
      ['multipart/form-data; boundary=b', `--b\r\nContent-Disposition: x; ${'name=a '.repeat(most / 7 - 10)}`],
      ['multipart/form-data; boundary=b', `--b\r\nContent-Disposition: x; ${'name=;'.repeat(most / 6 - 10)}`],
      ['multipart/form-data; boundary=b', `--b\r\n${'Content-Disposition: x; name="\\"a\r\n'.repeat(most / 40)}`],
      ['multipart/form-data, application/json, application/x-www-form-urlencoded', '--"a&'.repeat(most / 5)],
    ] as const;
    for (const [type, body] of hostile) {
      const { targets, seen } = targetsOf(type, body);
      const used = targets.flatMap(({ candidates }) => candidates).reduce((sum, { length }) => sum + length, 0);
      assert.ok(used <= limits.requestBytes && seen.values <= limits.requestBytes + 1);
    }
  });

  it('carry a limit only after the last value, and only where an overflow blocks', () => {
    const body = Array.from({ length: 50 }, () => `${'%2e/'.repeat(5000)}`).join('&');
    const form = 'application/x-www-form-urlencoded';
    const limited = ({ limit }: { limit?: string }) => limit !== undefined;
    assert.deepEqual(targetsOf(form, body).targets.filter(limited), []);
    assert.deepEqual(targetsOf(form, body, 'block').targets.findIndex(limited), targetsOf(form, body).targets.length);
  });

  it('say how much was inspected', () => {
    assert.deepEqual(targetsOf('application/json', '["ab","","c"]').seen, { values: 2, bytes: 3 });
    const many = targetsOf('application/json', '"a?"'.repeat(2000)).seen;
    assert.deepEqual(many, { values: 1024, bytes: 2048, overflow: 'values' });
  });
});
