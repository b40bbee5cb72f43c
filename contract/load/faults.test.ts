import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../policy/limits.ts';
import { loadPolicy } from './index.ts';
import type { Problem } from './problem.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

function problemsOf(input: string | Uint8Array): readonly Problem[] {
  const loaded = loadPolicy(typeof input === 'string' ? utf8(input) : input, 'guard.json');
  assert.ok(!loaded.ok, 'the policy loads');
  return loaded.problems;
}

const only = (input: string | Uint8Array): Problem => {
  const [problem, ...more] = problemsOf(input);
  assert.deepEqual(more, []);
  return problem as Problem;
};

const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))));

describe('bytes that are not text', () => {
  it('names the first byte that is not UTF-8, and its place', () => {
    const { message, hint, line, column } = only(bytes('{\n  "é": "', 0xff, 0xfe, '"}'));
    assert.deepEqual([message, hint, line, column], ['byte 11 is not UTF-8', 'save the file as UTF-8', 2, 9]);
  });

  it('knows UTF-16 when it sees it', () => {
    assert.equal(only(bytes(0xff, 0xfe, '{', 0, '}', 0)).hint, 'it looks like UTF-16; save the file as UTF-8');
    assert.equal(only(bytes(0xfe, 0xff, 0, '{', 0, '}')).hint, 'it looks like UTF-16; save the file as UTF-8');
  });

  it('refuses a byte order mark by name', () => {
    assert.equal(only('\ufeff{}').message, 'it starts with a byte order mark');
  });

  it('refuses 100 MB without reading them', () => {
    const { message } = only(new Uint8Array(100 * 1024 * 1024));
    assert.equal(message, `the file has 104857600 bytes, more than ${limits.policyFileBytes}`);
  });

  it('takes a file of exactly the bound', () => {
    assert.equal(loadPolicy(utf8('{}'.padEnd(limits.policyFileBytes)), 'x').ok, true);
    assert.equal(loadPolicy(utf8('{}'.padEnd(limits.policyFileBytes + 1)), 'x').ok, false);
  });

  it('calls an empty file empty', () => {
    for (const text of ['', ' \n\t\r\n']) assert.equal(only(text).message, 'the file is empty');
  });
});

describe('places', () => {
  it('counts columns in characters and lines by LF, CRLF and CR', () => {
    const place = (text: string) => problemsOf(text).map(({ line, column }) => `${line}:${column}`);
    assert.deepEqual(place('{"secret": "é😀", "zzz": 1}'), ['1:12', '1:18']);
    assert.deepEqual(place('{\r\n"zzz": 1,\r"yyy": 1,\n"xxx": 1}'), ['2:1', '3:1', '4:1']);
  });

  it('gives the place of a key for a key, of a value for a value, of the holder for what is missing', () => {
    const text = '{\n "zzz":\n  1,\n "maxBodyBytes":\n  0,\n "response": {\n  "mode": "proxy"}}';
    assert.deepEqual(
      problemsOf(text).map(({ kind, line, column }) => [kind, line, column]),
      [
        ['unknown_key', 2, 2],
        ['out_of_range', 5, 3],
        ['missing_key', 6, 14],
      ],
    );
  });

  it('reports a missing comma where it belongs, and not at the next line', () => {
    const { line, column, message } = only('{\n "debug": true\n\n "enabled": true}');
    assert.deepEqual([line, column, message], [2, 15, 'expected "," after this entry, found """']);
  });

  it('reports everything at once, in the order of the file', () => {
    const text = `{"rules": [{"id": "env-file", "action": "blok", "pattern": "(?=x)", "targets": []}],
 "allowedIps": ["10.1", 3], "exceptions": [{"rules": ["env-fil"], "path": ""}], "methods": ["A B"],
 "response": {"mode": "redirect", "statusCode": 200, "redirectUrl": "//x"}, "debug": 1, "debug": 2, "nope": 0}`;
    assert.deepEqual(
      problemsOf(text).map(({ line, kind, path }) => `${line} ${kind} ${path}`),
      [
        '1 conflict rules[0].id',
        '1 bad_value rules[0].action',
        '1 bad_regex rules[0].pattern',
        '1 out_of_range rules[0].targets',
        '2 bad_address allowedIps[0]',
        '2 wrong_type allowedIps[1]',
        '2 bad_value exceptions[0].rules[0]',
        '2 out_of_range exceptions[0].path',
        '2 bad_value methods[0]',
        '3 bad_value response.statusCode',
        '3 bad_value response.redirectUrl',
        '3 syntax debug',
        '3 wrong_type debug',
        '3 unknown_key nope',
      ],
    );
  });
});

it('reports one problem for a value, the first', () => {
  const { kind } = only(`{"rules": [{"id": "${'A'.repeat(65)}", "action": "block", "pattern": "x"}]}`);
  assert.equal(kind, 'out_of_range');
});

const messages: [string, string, string?][] = [
  ['{"maxBodyBytes": 99999999}', 'expected 1 to 10485760, found 99999999'],
  ['{"enabled": "yes"}', 'expected true or false, found "yes"', 'write true without quotes'],
  ['{"maxBodyBytes": "100"}', 'expected a number, found "100"', 'write 100 without quotes'],
  ['{"maxBodyBytes": "64k"}', 'expected a number, found "64k"', 'write 65536: the unit is bytes'],
  [
    '{"maxBodyBytes": "2 GiB"}',
    'expected a number, found "2 GiB"',
    'write a number from 1 to 10485760: the unit is bytes',
  ],
  [
    '{"maxBodyBytes": "many"}',
    'expected a number, found "many"',
    'write a number from 1 to 10485760: the unit is bytes',
  ],
  ['{"response": {"gzipBombMb": "1 GB"}}', 'expected a number, found "1 GB"', 'write 1024: the unit is MiB'],
  ['{"response": {"retryAfterSeconds": "1h"}}', 'expected a number, found "1h"', 'write 3600: the unit is seconds'],
  ['{"response": {"tarpitDelayMs": "2 s"}}', 'expected a number, found "2 s"', 'write 2000: the unit is milliseconds'],
  [
    '{"response": {"maxHeld": "few"}}',
    'expected a number, found "few"',
    'write a number from 1 to 65536, without a unit',
  ],
  ['{"methods": "GET"}', 'expected a list, found "GET"', 'write ["GET"]'],
  ['{"debug": true "enabled": true}', 'expected "," after this entry, found """', 'write a comma between two entries'],
  [
    '{\u201cdebug\u201d: true}',
    'expected a key in double quotes, found "\u201c"',
    'write strings and keys in straight double quotes (")',
  ],
  ['{"methods": {}}', 'expected a list, found an object', 'write a list: [...]'],
  ['{"banList": "/x"}', 'expected an object, found "/x"', 'the keys here are file, response'],
  ['{"response": "json"}', 'expected an object, found "json"', 'write {"mode": "json"}'],
  [
    '{"exceptions": ["env-file"]}',
    'expected an object, found "env-file"',
    'the keys here are rules, path, hosts, clients',
  ],
  ['{"response": []}', 'expected an object, found an empty list', 'write an object: {...}'],
  ['{"securityLogFile": 1}', 'expected text, found 1', 'write "1", in quotes'],
  [
    '{"debug": yes}',
    'expected a value, found "yes"',
    'write true, false or null, and all other words in double quotes',
  ],
  [
    '{debug: true}',
    'expected a key in double quotes, found "debug"',
    'write true, false or null, and all other words in double quotes',
  ],
  [
    '{"response": {"mode": "jsn"}}',
    `expected one of json, html, text, xml, redirect, captcha, silent_drop, gzip_bomb, tarpit, fake_success, ratelimit, proxy, infinite_stream, found "jsn"`,
    'did you mean "json"?',
  ],
  [
    '{"blockPatterns": ["a(?=b)"]}',
    'lookaround is not allowed (at offset 1)',
    'match more, and list what must pass in allowPatterns or exceptions',
  ],
  [
    '{"blockPatterns": ["a{1001}"]}',
    'the count is too large (at offset 1)',
    'counts and their products are at most 1000; write + or {n,} for more',
  ],
  ['{"rules": [{"action": "block", "pattern": "x"}]}', '"id" is missing, expected text such as "old-admin"'],
  ['{"exceptions": [{"path": "^/x"}]}', '"rules" is missing, expected a list such as ["env-file"]'],
  ['{"exceptions": [{"rules": ["env-file"]}]}', '"path" is missing, expected text such as "^/docs/"'],
  ['{"banList": {}}', '"file" is missing, expected text such as "/var/lib/guard-bans/bans"'],
  [
    '{"debug": true, "debug": true}',
    '"debug" is there twice, first at 1:2',
    'keep one of them, with the values of both',
  ],
  ['{"cases": []}', 'unknown key "cases"', 'this is a suite of cases: guardcli test --suite runs it'],
  [
    '{"handler": "guard"}',
    'unknown key "handler"',
    "this is the form of Caddy's JSON: delete this key, and write the others in camelCase",
  ],
  [
    '{"apps": {}}',
    'unknown key "apps"',
    'this is a configuration of Caddy: pass the policy, or check this file with caddy validate',
  ],
  [
    '{"http": {}}',
    'unknown key "http"',
    'this is a configuration of Traefik: pass the policy that guardcli generate reads',
  ],
  [
    '"guard { mode detect }"',
    'expected an object, found "guard { mode detect }"',
    'pass the policy; check a Caddyfile with caddy validate, and nginx with nginx -T | guardcli validate --nginx -',
  ],
  [
    '{"response": {"handler": 1}}',
    'unknown key "handler"',
    'the keys here are mode, statusCode, body, contentType, headers, redirectUrl, proxyUrl, gzipBombMb, retryAfterSeconds, tarpitDelayMs, tarpitMaxDurationSeconds, streamSizeMb, maxResponseSeconds, captcha, maxHeld, maxHeldPerAddress',
  ],
  ['{"response": {"delayMs": 1}}', 'unknown key "delayMs"', 'did you mean "tarpitDelayMs"?'],
  ['{"response.status": 404}', 'unknown key "response.status"', 'keys are nested: "response": {"statusCode": ...}'],
  [
    '{"response": {"captcha.sitekey": "k"}}',
    'unknown key "captcha.sitekey"',
    'keys are nested: "captcha": {"siteKey": ...}',
  ],
  [
    '{"method.name": 1}',
    'unknown key "method.name"',
    'guardcli schema prints every key: of a policy, and with --tcp of tcp-guard.yaml',
  ],
  ['{"statusCode": 403}', 'unknown key "statusCode"', 'did you mean "response.statusCode"?'],
  [
    '{"response": {"captcha": {"provider": "turnstile", "siteKey": "k", "zzzzzzz": 1}}}',
    'unknown key "zzzzzzz"',
    'the keys here are provider, siteKey, secretKey, passMinutes, title, verifyUrl, hostnames, action, minScorePercent',
  ],
  [`{"secret": "${'x'.repeat(2000)}"}`, 'expected at most 1024 bytes, found 2000'],
  [
    `{"rules": [{"id": "a", "action": "block", "pattern": "x", "description": "${'é'.repeat(251)}"}]}`,
    'expected at most 500 bytes, found 502',
  ],
  ['{"disabledRules": ["env-fle"]}', 'expected the id of a built-in rule, found "env-fle"', 'did you mean "env-file"?'],
  ['{"response": {"headers": {"Content-Length": "1"}}}', 'Content-Length is set by the proxy alone'],
  ['{"response": {"headers": {"x-a": "1", "X-A": "2"}}}', 'X-A is set twice: header names are case-insensitive'],
  [
    '{"response": {"statusCode": 204}}',
    'expected a status that has a body, not 204, 205, 304 for mode text, found 204',
  ],
  ['{"tcp": {"services": {"ssh": {"listen": ":22"}}}}', '"upstream" is missing, expected text such as "127.0.0.1:22"'],
  [
    '{"response": {"mode": "captcha"}}',
    'mode captcha needs captcha',
    'write "captcha": {"provider": "captcha-a", "siteKey": "..."} (docs/captcha.md)',
  ],
  ['{"response": {"mode": "proxy"}}', 'mode proxy needs proxyUrl', 'write "proxyUrl": "http://127.0.0.1:9000"'],
  ['{"tcp": {"version": "1"}}', 'expected 1, found "1"', 'write 1 without quotes'],
];

describe('what a message says', () => {
  for (const [text, message, hint] of messages)
    it(text.slice(0, 70), () => {
      const problem = only(text);
      assert.deepEqual([problem.message, problem.hint], [message, hint]);
    });

  it('shows nothing of a file that a terminal would obey, and no more than a line of it', () => {
    const hostile = `\\u001b[2J\\u202e\\u0007${'x'.repeat(100_000)}`;
    const problems = problemsOf(`{"${hostile}": 1, "mode": "${hostile}"}`);
    assert.equal(problems.length, 2);
    for (const { path, message, hint = '' } of problems) {
      assert.match(path + message + hint, /^[\x20-\x7e]+$/);
      assert.ok(path.length + message.length < 500);
    }
  });
});

describe('hostile files', () => {
  it('lists the first problems and counts the others', () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `"k${index}":0`);
    const loaded = loadPolicy(utf8(`{${keys.join()}}`), 'x');
    assert.ok(!loaded.ok);
    assert.deepEqual([loaded.problems.length, loaded.omitted], [limits.fileProblems, 50_000 - limits.fileProblems]);
    assert.equal(loaded.problems[0]?.path, 'k0');
  });

  it('does not follow nesting beyond the bound', () => {
    for (const text of ['['.repeat(100_000), '{"a":'.repeat(100_000), '[{"a":'.repeat(50_000)])
      assert.match(only(text).message, /nesting is deeper/);
  });

  it('takes no prototype from a file', () => {
    assert.equal(only('{"__proto__": {"enabled": false}}').kind, 'unknown_key');
    assert.equal(only('{"constructor": 1}').kind, 'unknown_key');
    const loaded = loadPolicy(utf8('{"response": {"headers": {"constructor": "x", "toString": "y"}}}'), 'x');
    assert.ok(loaded.ok);
    assert.deepEqual(Object.entries(loaded.value.response.headers), [
      ['constructor', 'x'],
      ['toString', 'y'],
    ]);
  });

  it('refuses the key __proto__ wherever it is, at its place', () => {
    const text = '{"response": {"headers": {\n "X-A": "a",\n "\\u005f_proto__": "x"}},\n "rules": [{"__proto__": 1}]}';
    assert.deepEqual(
      problemsOf(text).map(({ kind, path, line, column, message }) => [kind, path, line, column, message]),
      [
        ['unknown_key', 'response.headers.__proto__', 3, 2, 'no key can be "__proto__"'],
        ['missing_key', 'rules[0].id', 4, 12, '"id" is missing, expected text such as "old-admin"'],
        ['missing_key', 'rules[0].action', 4, 12, '"action" is missing, expected one of block, allow'],
        ['missing_key', 'rules[0].pattern', 4, 12, '"pattern" is missing, expected text such as "^/internal/"'],
        ['unknown_key', 'rules[0].__proto__', 4, 13, 'no key can be "__proto__"'],
      ],
    );
  });

  it('refuses patterns beyond the bound on all of them, and names the longest', () => {
    const pattern = 'a'.repeat(limits.regexBytes);
    const fitting = limits.policyPatternBytes / limits.regexBytes - 1;
    const policy = {
      blockPatterns: new Array(fitting).fill(pattern),
      exceptions: [
        { rules: ['env-file'], path: pattern },
        { rules: ['env-file'], path: '^/x' },
      ],
    };
    const problem = only(JSON.stringify(policy, undefined, 1));
    const expected = 'expected at most 262144 bytes in all patterns of the policy, with counts written out';
    assert.equal(problem.path, 'blockPatterns[0]');
    assert.equal(problem.message, `${expected}, found 262147: 2048 in this one, the longest`);
    assert.match(problem.hint ?? '', /^lower counts/);
    policy.exceptions.pop();
    assert.ok(loadPolicy(utf8(JSON.stringify(policy)), 'x').ok);
  });
});
