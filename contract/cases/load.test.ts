import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suiteBounds } from './bounds.ts';
import { loadSuite } from './load.ts';

const load = (text: string) => loadSuite(Buffer.from(text), 'cases.yaml');

/** Returns `line:column path message (hint)` for every problem. */
function problemsOf(text: string): string[] {
  const loaded = load(text);
  if (loaded.ok) return [];
  return loaded.problems.map(({ line, column, path, message, hint }) =>
    [`${line}:${column}`, path, message, ...(hint === undefined ? [] : [`(${hint})`])].join(' '),
  );
}

const one = (request: string, expect = '{ verdict: blocked }') =>
  `cases:\n  - name: x\n    request: ${request}\n    expect: ${expect}\n`;

const mistakes: readonly (readonly [string, string, readonly string[]])[] = [
  ['an unknown key', 'casse: []', ['1:1 casse unknown key "casse" (did you mean "cases"?)']],
  [
    'a key of a case with a near name',
    'cases:\n  - name: x\n    request: {}\n    expct: { verdict: blocked }\n',
    [
      '2:5 cases[0].expect "expect" is missing, expected an object',
      '4:5 cases[0].expct unknown key "expct" (did you mean "expect"?)',
    ],
  ],
  [
    'a header that would be a prototype',
    one('{ headers: { Host: a, __proto__: x } }'),
    ['3:36 cases[0].request.headers.__proto__ no key can be "__proto__" (choose another name)'],
  ],
  [
    'a verdict with a near name',
    one('{}', '{ verdict: bloked }'),
    [
      '4:24 cases[0].expect.verdict expected one of blocked, allowed, refused, found "bloked" (did you mean "blocked"?)',
    ],
  ],
  [
    'an empty expectation',
    one('{}', '{}'),
    ['4:13 cases[0].expect the case expects nothing (add a key, such as verdict: blocked)'],
  ],
  [
    'two targets',
    one('{ path: /a, paths: [/b] }'),
    ['3:26 cases[0].request.paths path and paths are mutually exclusive (remove one of the two)'],
  ],
  [
    'two queries',
    one('{ path: "/a?b", query: c }'),
    ['3:30 cases[0].request.query the query is given twice (remove one; write a ? in the path itself as %3F)'],
  ],
  [
    'a target with a line end',
    one('{ path: "/a\\nb" }'),
    [
      '3:22 cases[0].request.path expected a target without a line end, which ends the request line, found "/a\\u{000a}b"',
    ],
  ],
  [
    'a raw target with more than bytes',
    one('{ raw: "/\\u0100" }'),
    ['3:21 cases[0].request.raw expected one character from U+0000 to U+00FF per byte, found "/Ā"'],
  ],
  [
    'a header that is not a name',
    one('{ headers: { "X A": b } }'),
    ['3:27 cases[0].request.headers["X A"] expected a header name (RFC 9110 token), found "X A"'],
  ],
  [
    'a header value that splits the request',
    one('{ headers: { A: ["b\\r\\nC: d"] } }'),
    ['3:31 cases[0].request.headers.A[0] expected a value without line ends and NUL, found "b\\u{000d}\\u{000a}C: d"'],
  ],
  [
    'a network as an address',
    one('{ ip: 10.0.0.0/8 }'),
    ['3:20 cases[0].request.ip expected an IPv4 or IPv6 address, found "10.0.0.0/8"'],
  ],
  [
    'a result that no request has',
    one('{}', '{ verdict: allowed, mode: json, reason: limit_length }'),
    [
      '4:33 cases[0].expect.mode verdict allowed has no mode',
      '4:53 cases[0].expect.reason the verdict with this reason is blocked',
    ],
  ],
  [
    'text that is not YAML',
    'cases: [',
    [
      '1:9  Flow sequence in block collection must be sufficiently indented and end with a ] (indent the keys of one object by the same number of blanks, and close each bracket)',
    ],
  ],
];

describe('a suite file', () => {
  for (const [what, text, problems] of mistakes) {
    it(`is refused with ${what}`, () => assert.deepEqual(problemsOf(text), problems));
  }
  it('reports the problems of all cases at once', () => {
    const text = `${one('{ path: 5 }')}${one('{ ip: x }').replace('cases:\n', '')}`;
    assert.deepEqual(
      problemsOf(text).map((problem) => problem.split(' ')[0]),
      ['3:22', '6:20'],
    );
  });
  it('is refused when it is too large', () => {
    const loaded = loadSuite(Buffer.alloc(suiteBounds.fileBytes + 1, 0x20), 'cases.yaml');
    assert.match((!loaded.ok && loaded.problems[0]?.message) || '', /more than 8388608/);
  });
  for (const [what, text] of [
    ['cases', `{"cases": [${Array(90_000).fill('{"nam":1}').join()}]}`],
    ['targets', `{"cases": [{"name": "x", "request": {"paths": [${Array(90_000).fill('1').join()}]}, "expect": {}}]}`],
    [
      'headers',
      `{"cases": [{"name": "x", "request": {"headers": {${Array.from({ length: 300_000 }, (_, index) => `" ${index}":1`).join()}}}, "expect": {}}]}`,
    ],
  ] as const) {
    it(`is refused with as many mistakes as fit into it: ${what}`, () => {
      const loaded = load(text);
      assert.equal(!loaded.ok && loaded.problems.length, 100);
    });
  }
  it('is the same as YAML and as JSON', () => {
    const yaml = load(one('{ path: /.env, headers: { A: [b, c] } }'));
    const request = { path: '/.env', headers: { A: ['b', 'c'] } };
    const json = load(JSON.stringify({ cases: [{ name: 'x', request, expect: { verdict: 'blocked' } }] }));
    assert.deepEqual(yaml.ok && yaml.value, json.ok && json.value);
    assert.ok(json.ok);
  });
});
