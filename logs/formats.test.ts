import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { LogFormats } from '../contract/logs/format.ts';
import { logFormats } from '../contract/logs/formats.ts';
import { createLogReader } from './read.ts';

/** The address that clients write in forged lines. */
const forgedAddress = '192.0.2.66';
/** A user that each client may choose: it has the marks of every format, and a false address between them. */
const hostileUsers = logFormats
  .flatMap(({ lines }) => lines)
  .map(({ pattern }) =>
    pattern
      .slice(1, -1)
      .replace('<address>', forgedAddress)
      .replace(/<user[^<>]*>/, 'x'),
  )
  .map((text) =>
    text
      .replace(/\(\?:([^|()]*)[^()]*\)\??/g, '$1')
      .replaceAll('\\d+', '1')
      .replaceAll('\\', ''),
  );

it('the table of log formats has its form', () => {
  assert.deepEqual(z.parse(LogFormats, { formats: logFormats }).formats.length, logFormats.length);
});

for (const { name, lines, nearMisses, programs } of logFormats)
  describe(`the log format ${name}`, () => {
    const reader = createLogReader({ lines, programs });
    for (const [index, { matches, forged, outcome }] of lines.entries()) {
      for (const line of matches)
        it(`reads ${line}`, () => {
          const entry = reader.ofMessage(line);
          assert.equal(entry?.line, index);
          assert.equal(entry?.outcome, outcome);
          assert.notEqual(entry?.address, forgedAddress);
        });
      for (const line of forged)
        it(`reads the address of the server in ${line}`, () => {
          const address = reader.ofMessage(line)?.address;
          assert.notEqual(address, forgedAddress);
          assert.notEqual(address, undefined);
        });
      for (const line of matches)
        it(`reads no address of a hostile user in ${line}`, () => {
          const user = reader.ofMessage(line)?.user;
          if (user === undefined || user === '') return;
          for (const hostile of hostileUsers) {
            const address = reader.ofMessage(line.replace(user, () => hostile))?.address;
            assert.notEqual(address, forgedAddress, hostile);
          }
        });
    }
    for (const line of nearMisses)
      it(`does not read ${line}`, () => {
        assert.equal(reader.ofMessage(line), undefined);
      });
    for (const program of programs.slice(0, 1))
      it('reads lines of syslog of its programs only', () => {
        const [line] = lines.flatMap(({ matches }) => matches);
        for (const time of ['Nov  9 17:08:19', '2026-11-29T17:08:19.123456+00:00']) {
          assert.ok(reader.ofFile(`${time} host ${program}[123]: ${line}`));
          assert.equal(reader.ofFile(`${time} host other[123]: ${line}`), undefined);
          assert.equal(reader.ofFile(`${time} host other[123]: host ${program}[1]: ${line}`), undefined);
        }
        for (const header of [`${program}[123]:`, `[${program}]`, `[${program}]:`])
          assert.ok(reader.ofFile(`Nov 29 17:08:19 ${header} ${line}`), header);
        assert.ok(reader.ofFile(`Nov 29 17:08:19 host ${program}[123]: [ID 800047 auth.info] ${line}`));
        assert.equal(reader.ofFile(`Nov 29 17:08:19 other[123]: ${program}[1]: ${line}`), undefined);
        assert.ok(reader.ofFile(`${line}\r`), 'a file that the server writes itself');
      });
  });
