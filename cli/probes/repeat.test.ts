import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { requestFor } from './probe.ts';
import { repeatLine } from './repeat.ts';
import { requestBytes } from './request-bytes.ts';

const address = { host: '127.0.0.1', port: 8080 };

test('writes a curl command for a request that curl sends unchanged', () => {
  const request = { ...requestFor("/a/../b?x=1&y='"), headers: [['X-A', 'b c']] as const, host: 'h' };
  assert.equal(
    repeatLine([request], 7, address),
    `curl -sS -i -g --path-as-is -X GET -H 'Host: h' -H 'User-Agent: guard-probe/000007' -H 'X-A: b c' ` +
      `'http://127.0.0.1:8080/a/../b?x=1&y='\\'''`,
  );
});

test('writes an nc command with exactly the bytes of every other request', () => {
  const targets = ['/a#b', 'http://x/.env', '/\x00\xe9\x7f', "/'%s\\n`$(x)", '*'];
  for (const target of targets) {
    const request = { ...requestFor(target), headers: [['X-B', '\xff"']] as const };
    const line = repeatLine([request], 7, address);
    assert.match(line, /^printf '.*' \| nc 127\.0\.0\.1 8080$/s);
    const printed = execFileSync('sh', ['-c', line.replace(/ \| nc .*$/, '')]);
    const closing = { ...request, headers: [...request.headers, ['Connection', 'close'] as const] };
    assert.deepEqual(printed, requestBytes(closing, 7, '127.0.0.1:8080'), target);
  }
});

test('writes an nc command for a host that curl would omit or send in UTF-8', () => {
  for (const host of ['', 'b\xfccher.example']) {
    const line = repeatLine([{ ...requestFor('/x'), host }], 7, address);
    assert.match(line, /^printf 'GET \/x HTTP\/1\.1\\015\\012Host: (?:b\\374cher\.example)?\\015\\012.*' \| nc /);
  }
});

test('announces a withheld body without sending it', () => {
  const line = repeatLine([{ ...requestFor('/x', 'POST'), withheld: true }], 0, address);
  assert.match(line, /Content-Length: 10\\015\\012\\015\\012' \| nc/);
});
