import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logFormats } from '../contract/logs/formats.ts';
import { createLogReader } from './read.ts';

const [client, stranger] = [/198\.51\.100\.7|2001:db8::7/g, '192.0.2.66'];
const isInJson = ({ matches }: { readonly matches: readonly string[] }) =>
  matches.every((line) => line.startsWith('{'));
const rows = logFormats
  .map((format) => ({ ...format, lines: format.lines.filter(isInJson) }))
  .filter(({ lines }) => lines.length > 0);

/** Parts of false lines: whole, from the address on, up to it, and broken out of their text. */
const hostile = rows
  .flatMap(({ lines }) => lines.flatMap(({ matches }) => matches))
  .map((line) => line.replace(client, stranger))
  .flatMap((line) => {
    const at = line.indexOf(stranger);
    const before = line.slice(Math.max(0, at - 24), at);
    return [
      line,
      line.slice(at),
      line.slice(0, at + stranger.length),
      `x"${line.slice(line.indexOf(','))}`,
      before + line.slice(at),
    ];
  })
  .flatMap((text) => [text, `x\n${text}\ny`, `x\\${text}`]);

/** The line with a text in place of each text of a member in turn, or of the user within one that has the address. */
function* written(line: string, text: string): Generator<string> {
  for (let wanted = 0, count = 1; wanted < count; wanted += 1) {
    let index = -1;
    const object = JSON.parse(line, (_, value: unknown) => {
      if (typeof value !== 'string') return value;
      index += 1;
      if (index !== wanted) return value;
      return value.search(client) < 0 ? text : value.replace('alice', () => text.replaceAll('"', '\\"'));
    });
    count = index + 1;
    yield JSON.stringify(object);
  }
}

describe('a log in JSON', () => {
  for (const { name, lines, programs } of rows)
    it(`has no member of ${name} in which a client writes an address`, () => {
      const reader = createLogReader({ lines, programs });
      let readCount = 0;
      for (const line of lines.flatMap(({ matches }) => matches))
        for (const text of hostile)
          for (const changed of written(line, text)) {
            const address = reader.ofFile(changed)?.address;
            assert.notEqual(address, stranger, changed);
            if (address !== undefined) readCount += 1;
          }
      assert.ok(readCount > 0, 'a user with such a name counts');
    });
});
