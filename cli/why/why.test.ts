/** Runs the command on event files, and on a Loki that does not have the event. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { blockEvent, eventLines } from '../../conformance/events/lines.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import type { WhyResult } from './result.ts';

const time = '2026-11-22T00:00:00.000Z';
const wanted = '7K3QF2M9TD';
const line = (changes: object = {}): string =>
  `${JSON.stringify({ ...blockEvent(time), reference: '0000000000', ...changes })}\n`;

async function found(files: Readonly<Record<string, string | Uint8Array>>, ...argv: string[]): Promise<WhyResult> {
  const names = Object.keys(files).filter((name) => name !== 'guard.json');
  const { stdout, stderr, status } = await runCaptured(['why', wanted, ...names, '--json', ...argv], {
    cwd: scratch(files),
  });
  assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
  return JSON.parse(stdout) as WhyResult;
}

const others = Array.from({ length: 40 }, (_, index) =>
  line({ client_ip: `198.51.100.${index % 20}`, rule_id: index % 2 ? 'env-file' : 'git-dir' }),
).join('');

describe('why', () => {
  it('explains the event, and counts the events around it', async () => {
    const [first, last] = ['2026-11-21T00:00:00.000Z', '2026-11-23T00:00:00.000Z'];
    const other = '{"type":"ready"}\n';
    const events = [
      // A log shipper wrote the earliest and the latest event between the others.
      ...[other, line({ rule_id: 'x', client_ip: '' }), line({ timestamp: last, rule_id: 'key-ssh' }), others],
      ...[
        line({ reference: wanted }),
        line({ timestamp: first, rule_id: 'x', client_ip: '' }),
        line({ rule_id: 'x', client_ip: '' }),
        other,
      ],
    ].join('');
    const { source, event, rule, counts, allow } = await found({ 'a.jsonl': others, 'b.jsonl': events });
    assert.deepEqual([source, event.request_uri, rule?.id], ['b.jsonl', '/.env', 'env-file']);
    assert.deepEqual([counts.from, counts.to], [first, last]);
    assert.deepEqual([counts.sameRule.requests, counts.sameRule.addresses], [21, 11]);
    assert.deepEqual(counts.sameAddress, {
      requests: 2,
      rules: [
        { name: 'env-file', count: 1 },
        { name: 'key-ssh', count: 1 },
      ],
    });
    assert.deepEqual(allow.exception, {
      ...{ rules: ['env-file', 'hidden-seg'], path: '^/\\.env$', hosts: ['example.com'] },
    });
  });

  it('prints counts that add up', async () => {
    const rules = ['env-file', 'git-dir', 'key-ssh', 'sql-file', 'bak-ext'];
    const stdin = rules.map((rule_id) => line({ rule_id })).join('') + line({ reference: wanted });
    const { stdout } = await runCaptured(['why', wanted, '-'], { stdin });
    assert.match(stdout, / {2}this rule +2 requests of 1 address: \S+ \(2\)\n/);
    assert.match(stdout, / {2}this address +6 requests: env-file \(2\), git-dir \(1\), key-ssh \(1\), others \(2\)\n/);
  });

  for (const { name, line: written, outcome } of eventLines(new Date(time)))
    it(`finds a line ${name}, if it is the event of a request`, async () => {
      const { status } = await runCaptured(['why', wanted, '-'], { stdin: `${others}${written}\n${others}` });
      assert.equal(status, outcome === 'blocked' && written.includes(wanted) ? 0 : outcome === 'detected' ? 0 : 1);
    });

  it('finds a spaced line in a file, and a line of a damaged gzip file', async () => {
    const spaced = line({ reference: wanted }).replaceAll('":', '": ');
    assert.equal((await found({ 'a.jsonl': spaced })).event.reference, wanted);
    const packed = gzipSync(`${line({ reference: wanted })}${others}${'x'.repeat(100_000)}`);
    const cut = packed.subarray(0, packed.length - 20);
    const result = await found({ 'a.jsonl.gz': cut });
    assert.equal(result.event.reference, wanted);
  });

  it('finds the event at any place of large chunks', async () => {
    const filler = line({ user_agent: 'x'.repeat(3000) });
    for (const before of [0, 1, 85, 86, 87, 300]) {
      const { event } = await found({ 'a.jsonl': filler.repeat(before) + line({ reference: wanted }) + filler });
      assert.equal(event.reference, wanted, `${before} lines before it`);
    }
  });
});

describe('why of a rule about an exploit', () => {
  it('proposes an exception for a rule that also needs a body, which the event does not have', async () => {
    const request = { method: 'POST', path: '/app/agents/', request_uri: '/app/agents/', target: 'path' };
    const { allow } = await found({
      'a.jsonl': line({ ...request, reference: wanted, rule_id: 'cve-2026-63077' }),
      'guard.json': '{ "exploits": "all" }',
    });
    const path = '^/app/agents/$';
    assert.deepEqual(allow.exception, { rules: ['cve-2026-63077'], path, hosts: ['example.com'] });
  });
});

describe('why without the event', () => {
  it('names a damaged file in which it finds nothing', async () => {
    const cut = gzipSync(line({ reference: wanted })).subarray(0, 60);
    const { status, stderr } = await runCaptured(['why', wanted, 'a.jsonl.gz'], {
      cwd: scratch({ 'a.jsonl.gz': cut }),
    });
    assert.equal(status, 1);
    assert.match(stderr, /in the file \(damaged: .*a\.jsonl\.gz: .+\)\. Compare it/);
  });

  it('says that a file has no event', async () => {
    const notFound = async (stdin: string) => (await runCaptured(['why', wanted, '-'], { stdin })).stderr;
    assert.match(
      await notFound('192.0.2.1 - - [x] "GET / HTTP/1.1" 200 5\n'),
      /: no line is an event\. Name the event files/,
    );
    assert.match(await notFound(line()), /in the file\. Compare it with the response/);
  });
});

describe('an exception of why', () => {
  it('warns before the exception of a file that should never be public', async () => {
    const stdin = line({ reference: wanted });
    assert.match(
      (await runCaptured(['why', wanted, '-'], { stdin })).stderr,
      /^WARNING: this file should never be public\..*\n {2}env-file: .*\n.*\nDo not add the exception/,
    );
  });
});

it('proposes a command with the same policy', async () => {
  const cwd = scratch({ 'a.jsonl': line({ reference: wanted }), 'b.json': '{}' });
  const proposed = async (name: string) =>
    (await runCaptured(['why', wanted, 'a.jsonl', '-c', name], { cwd, stdin: '{}' })).stderr;
  assert.match(await proposed('b.json'), /note: guardcli allow \/\.env --host example\.com -c b\.json shows/);
  assert.match(await proposed('-'), /note: guardcli allow \/\.env --host example\.com -c - shows/);
});

describe('a hostile line', () => {
  it('without a target proposes no exception, which would be for the start page', async () => {
    const { allow } = await found({ 'a.jsonl': line({ reference: wanted, request_uri: undefined }) });
    assert.deepEqual(allow, { status: 'cut' });
  });

  it('does not have the reference in another member, or above the length of a line', async () => {
    const lines = [
      line({ user_agent: wanted, path: `"reference":"${wanted}"` }),
      line({ type: 'access', reference: wanted }),
      line({ reference: wanted, user_agent: 'x'.repeat(70_000) }),
      `{"reference":"${wanted}"`,
    ];
    const { status, stderr } = await runCaptured(['why', wanted, '-'], { stdin: lines.join('') });
    assert.equal(status, 1);
    assert.match(stderr, /there is no event with the reference 7K3QF2M9TD in the file\. Compare it with/);
  });

  it('is not printed raw', async () => {
    const hostile = '\u001b[2J\u202e<script>';
    const names = ['client_ip', 'method', 'host', 'request_uri', 'candidate', 'rule_id', 'reason', 'user_agent'];
    const changes = Object.fromEntries([...names, 'gateway', 'action'].map((name) => [name, hostile]));
    const { stdout, stderr, status } = await runCaptured(['why', wanted, '-'], {
      stdin: line({ ...changes, reference: wanted }),
    });
    assert.equal(status, 0);
    assert.doesNotMatch(stdout + stderr, /[^\x20-\x7e\n]/);
  });
});

describe('a reference', () => {
  it('is written in any case, and with the letters that look like digits', async () => {
    const stdin = line({ reference: '1010101010' });
    for (const text of ['1010101010', 'iOlo1o1olO', ' lOlOlOlOlO'])
      assert.equal((await runCaptured(['why', text, '-'], { stdin })).status, 0, text);
  });

  for (const text of ['', '7K3QF2M9T', '7K3QF2M9TDD', '7K3QF2M9TU', '"}|="x', '7K3QF2M9T\n', '７K3QF2M9TD'])
    it(`is refused before any search: ${JSON.stringify(text)}`, async () => {
      const { status, stderr } = await runCaptured(['why', text, 'absent.jsonl'], { cwd: scratch({}) });
      assert.equal(status, 2);
      assert.match(stderr, /is not a reference\. A reference has 10 digits and letters without U/);
    });
});

it('shows an example when the reference is missing', async () => {
  const { status, stderr } = await runCaptured(['why'], { cwd: scratch({}) });
  assert.equal(status, 2);
  assert.match(stderr, /missing required argument 'reference'\. Write it like guardcli why 7K3QF2M9TD /);
});

it('searches Loki without files, and says what to do when it has no event', async (t) => {
  const queries: (string | null)[] = [];
  const server = createServer((request, response) => {
    queries.push(new URL(request.url ?? '', 'http://h').searchParams.get('query'));
    response.end(JSON.stringify({ data: { resultType: 'streams', result: [] } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const argv = ['why', wanted.toLowerCase(), '--loki-port', String(port), '--since', '90m'];
  const { status, stderr } = await runCaptured(argv, { cwd: scratch({}), now: Date.parse(time) });
  assert.equal(status, 1);
  assert.match(stderr, /no event with the reference 7K3QF2M9TD in Loki in the last 90m\. .*longer --since/);
  assert.deepEqual([...new Set(queries)], ['{app="request-guard"} |= `"7K3QF2M9TD"`']);
});
