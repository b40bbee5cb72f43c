import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logFormats } from '../contract/logs/formats.ts';
import { logs } from './access/testing/samples.ts';
import { timeOf } from './time.ts';

const now = Date.UTC(2026, 10, 30, 12);
const local = (...parts: [number, number, number, number, number, number]) => new Date(...parts).getTime();

describe('the time of a line', () => {
  const rows: readonly [line: string, time: number | undefined][] = [
    ['192.0.2.1 - - [22/Nov/2026:13:50:09 +0100] "GET / HTTP/1.1" 200 5 "-" "-"', Date.UTC(2026, 10, 22, 12, 50, 9)],
    // A user who contains a time, and one in the request.
    [
      '192.0.2.1 - a [01/Jan/2020:00:00:00 +0000] b [22/Nov/2026:13:50:09 +0000] "GET / HTTP/1.1" 200',
      Date.UTC(2026, 10, 22, 13, 50, 9),
    ],
    [
      '192.0.2.1 - - [22/Nov/2026:13:50:09 +0000] "GET /[01/Jan/2020:00:00:00 +0000] "',
      Date.UTC(2026, 10, 22, 13, 50, 9),
    ],
    ['2026-11-29T17:08:19.123456+00:00 host sshd[1]: x', Date.UTC(2026, 10, 29, 17, 8, 19, 123)],
    ['Nov 29 17:08:19 host sshd[1]: x', local(2026, 10, 29, 17, 8, 19)],
    ['Nov  9 17:08:19 host sshd[1]: x', local(2026, 10, 9, 17, 8, 19)],
    // The newest plausible year: tomorrow is that of another clock, and December is that of last year.
    ['Dec  1 00:08:19 host sshd[1]: x', local(2026, 11, 1, 0, 8, 19)],
    ['Dec 24 17:08:19 host sshd[1]: x', local(2025, 11, 24, 17, 8, 19)],
    ['Sun Nov 29 18:51:28 2026 [pid 7838] [alice] FAIL LOGIN', local(2026, 10, 29, 18, 51, 28)],
    ['[Sun Nov 29 18:57:10.500000 2026] [auth_basic:error]', local(2026, 10, 29, 18, 57, 10) + 500],
    ['{"level":"info","ts":1795355409.5,"request":{}}', 1795355409500],
    ['{"time":"2026-11-22T13:50:09+00:00"}', Date.UTC(2026, 10, 22, 13, 50, 9)],
    ['{"timestamp":"22/Nov/2026:13:50:09 +0000"}', Date.UTC(2026, 10, 22, 13, 50, 9)],
    ['{"t":{"$date":"2026-11-22T13:50:09.250+00:00"},"s":"I"}', Date.UTC(2026, 10, 22, 13, 50, 9, 250)],
    ['1795355409: Client x [192.0.2.1:1] disconnected: malformed packet.', 1795355409000],
    ['Failed password for root from 192.0.2.1 port 1 ssh2', undefined],
    ['Xyz 99 99:99:99 host sshd[1]: x', undefined],
    ['{"time":{}}', undefined],
    ['{"t":{"$date":{"toString":1}}}', undefined],
  ];
  for (const [line, time] of rows)
    it(`is found in ${line}`, () => {
      assert.equal(timeOf(line, now), time);
    });

  it('is found in the lines of every access log, and of servers that write files of their kind', () => {
    const lines = Object.values(logs).flat();
    for (const line of lines)
      assert.equal(new Date(timeOf(line, now) ?? 0).toISOString().slice(0, 16), '2026-11-22T13:50', line);
    for (const { programs, lines } of logFormats)
      for (const line of programs.length > 0 ? [] : lines.flatMap(({ matches }) => matches))
        assert.ok(timeOf(line, now), line);
  });
});
