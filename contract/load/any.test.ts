import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { loadAny } from './index.ts';

const load = (bytes: Uint8Array | string) =>
  loadAny(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes, 'file');

const cases: [string, string, 'policy' | 'daemon', boolean][] = [
  ['an empty object', '{}', 'policy', true],
  ['a policy', '{"methods": ["*"]}', 'policy', true],
  ['a policy with a daemon part', '{"tcp": {"services": {}}}', 'policy', true],
  ['a policy with a key of the daemon', '{"methods": ["GET"], "services": {}}', 'policy', false],
  ['a broken policy', '{"methods": ["GET",]}', 'policy', false],
  ['a policy written as YAML', 'methods: [GET]\n', 'policy', true],
  ['a policy with a daemon part written as YAML', 'tcp:\n  services: {}\n', 'policy', true],
  ['a YAML file with a mistyped key of a policy', 'metods: [GET]\n', 'policy', false],
  ['a YAML file with keys of both', 'methods: [GET]\nservices: {}\n', 'daemon', false],
  ['a daemon file', 'services: {}\n', 'daemon', true],
  ['a daemon file under comments', '# x\n---\nglobal: {log_level: "off"}\n', 'daemon', true],
  ['a daemon file as JSON', '{"services": {}, "global": {}}', 'daemon', true],
  ['a daemon file whose first key is in double quotes', '"services": {}\nglobal: {}\n', 'daemon', true],
  ['a daemon file whose keys are in single quotes', "'services': {}\n", 'daemon', true],
  ['a daemon file as a mapping in braces', '{services: {}, "global": {log_level: error}}\n', 'daemon', true],
  ['a daemon file as JSON with a comma too many', '{"services": {},}', 'daemon', true],
  ['a broken daemon file whose first key is in double quotes', '"services":\n\t- a\n', 'daemon', false],
  ['a broken policy that is YAML', '{"methods": ["GET"], // all\n"checkQuery": true}', 'policy', false],
  ['a policy in braces without quotes', '{methods: [GET]}', 'policy', false],
  ['a policy without its braces', '"methods": ["GET"]', 'policy', false],
  ['a policy in YAML with keys in quotes', "'methods': [GET]\n", 'policy', true],
  ['a text in quotes', '"services"', 'policy', false],
  ['a text in quotes that has no end', '"services', 'policy', false],
  ['a list', '[{"services": {}}]', 'policy', false],
  ['a list that has no end', '[services', 'policy', false],
  ['a broken daemon file', 'services:\n\t- a\n', 'daemon', false],
  ['a daemon file with a mistyped section', 'servces: {}\n', 'daemon', false],
  ['a daemon file with a key outside of its section', 'geo_block: {deny_countries: [DE]}\n', 'daemon', false],
  ['a daemon file with keys of fail2ban', 'maxretry: 5\nbantime: 1h\n', 'daemon', false],
  ['text', 'hello', 'policy', false],
  ['nothing', '', 'policy', false],
];

describe('loadAny', () => {
  for (const [what, text, format, ok] of cases)
    it(`takes ${what} for a ${format}${ok ? '' : ', and refuses it'}`, () => {
      const any = load(text);
      assert.deepEqual([any.format, any.loaded.ok], [format, ok]);
    });

  it('reports the line and the column of a problem in a policy in YAML', () => {
    const { loaded } = load('mode: detect\nresponse:\n  mode: jsn\n  statusCod: 404\n');
    const problems = loaded.ok ? [] : loaded.problems;
    assert.deepEqual(
      problems.map(({ line, column, path, hint }) => [line, column, path, hint]),
      [
        [3, 9, 'response.mode', 'did you mean "json"?'],
        [4, 3, 'response.statusCod', 'did you mean "statusCode"?'],
      ],
    );
    const { loaded: valid } = load('# all\nmethods: [GET, PSOT]\n');
    assert.deepEqual(valid.ok && valid.warnings.map(({ kind, line, column }) => [kind, line, column]), [
      ['unknown_method', 2, 16],
    ]);
  });

  for (const [name, format, hint] of [
    [
      'tcp-guard.yaml',
      'daemon',
      'write services, such as services: {ssh: {listen: ":2222", upstream: "127.0.0.1:22", protocol: ssh}}',
    ],
    ['guard.json', 'policy', 'a policy of defaults is {}'],
  ] as const)
    for (const text of ['', '\n', ...(format === 'daemon' ? ['# services: {}\n', '---\n'] : [])])
      it(`takes ${name} with ${JSON.stringify(text)} for a ${format}, and says what to write`, () => {
        const any = loadAny(Buffer.from(text), name);
        const problem = any.loaded.ok ? undefined : any.loaded.problems[0];
        assert.deepEqual([any.format, problem?.message, problem?.hint], [format, 'the file is empty', hint]);
      });

  it('names the comment before a policy in JSON', () => {
    const { loaded } = load(Buffer.from('// of the shop\n{"debug": true}'));
    assert.equal((!loaded.ok && loaded.problems[0]?.hint) || '', 'JSON has no comments; delete it');
  });

  it('reads both examples', () => {
    for (const [name, format] of [
      ['guard.json', 'policy'],
      ['tcp-guard.yaml', 'daemon'],
    ] as const) {
      const any = load(readFileSync(join(packageRoot, 'examples', name)));
      assert.deepEqual([any.format, any.loaded.ok, any.loaded.name], [format, true, 'file']);
      assert.deepEqual(any.loaded.ok && any.loaded.warnings, []);
    }
  });

  it('refuses what is not text', () => {
    for (const bytes of [Buffer.of(0xff, 0xfe, 0x00), new Uint8Array(64 * 1024 * 1024)])
      assert.equal(load(bytes).loaded.ok, false);
  });
});
