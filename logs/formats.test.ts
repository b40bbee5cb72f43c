import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { removalLines } from '../conformance/events/lines.ts';
import { LogFormats } from '../contract/logs/format.ts';
import { logFormats } from '../contract/logs/formats.ts';
import { logFormatNames } from '../contract/logs/names.ts';
import { packageRoot } from '../platform/assets.ts';
import { createLogReader } from './read.ts';

/** The address that clients write in forged lines. */
const forgedAddress = '192.0.2.66';
/** A text that a pattern matches, with the false address and a short user. */
const sample = (pattern: string): string =>
  pattern
    .replace('<address>', forgedAddress)
    .replace(/<user[^<>]*>/, 'x')
    .replace('<attempts>', '1')
    .replace(/\(\?:([^|()]*)[^()]*\)\??/g, '$1')
    .replaceAll('\\d+', '1')
    .replace(/\[[^\]]*\][*+]/g, 'x')
    .replaceAll('.*', 'x')
    .replaceAll('\\', '');

/**
 * Users that each client may choose: the marks of every format with a false address, from the start of the line and from the
 * user on.
 */
const hostileUsers = logFormats
  .flatMap(({ lines }) => lines)
  .map(({ pattern }) => pattern.slice(1, -1))
  .flatMap((pattern) => [sample(pattern), `x${sample(pattern.replace(/^.*<user[^<>]*>/, ''))}`]);

/** What the server writes for a user: PostgreSQL escapes names, and OpenSSH marks those that do not exist. */
const writtenFor = (line: string, user: string): string => {
  if (line.startsWith('{')) return JSON.stringify(user).slice(1, -1);
  return /^Failed [a-z-]+ for (?!invalid user )/.test(line) ? `invalid user ${user}` : user;
};

it('no format counts a removed upgrade, whose name the client chose', () => {
  const lines = ['h2c', ...hostileUsers].flatMap((protocol) => removalLines(new Date(), protocol));
  for (const format of logFormats) {
    const { ofFile, ofMessage } = createLogReader(format);
    for (const line of lines) assert.deepEqual([ofFile(line), ofMessage(line)], [undefined, undefined], format.name);
  }
});

it('the table of log formats has its form', () => {
  assert.deepEqual(z.parse(LogFormats, { formats: logFormats }).formats.length, logFormats.length);
});

it('the table has each file of formats, and docs/host.md says what counts in it', () => {
  const files = readdirSync(join(packageRoot, 'contract/logs/formats'));
  assert.deepEqual(files.sort(), logFormatNames.map((name) => `${name}.json`).sort());
  const page = readFileSync(join(packageRoot, 'docs/host.md'), 'utf8');
  for (const name of logFormatNames) assert.ok(page.includes(`\n* \`${name}\``), name);
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
            const address = reader.ofMessage(line.replace(user, () => writtenFor(line, hostile)))?.address;
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
        const structured = (by: string, data: string) => `<38>1 2026-11-29T17:08:19Z host ${by} 123 - ${data} ${line}`;
        for (const data of ['-', '[a@1 b="c"][d e="[f]\\"\\\\"]'])
          assert.ok(reader.ofFile(structured(program, data)), data);
        assert.equal(reader.ofFile(structured('other', '-')), undefined);
        assert.ok(reader.ofFile(`@400000004c91b044077a9e94 ${line}`));
        assert.equal(reader.ofFile(`Nov 29 17:08:19 other[123]: ${program}[1]: ${line}`), undefined);
        assert.equal(reader.ofFile(`Nov 29 17:08:19 [other] ${program}: ${line}`), undefined, 'metalog');
        assert.ok(reader.ofFile(`${line}\r`), 'a file that the server writes itself');
      });
  });
