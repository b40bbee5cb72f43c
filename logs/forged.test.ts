/** Attacks the patterns of log formats with false lines made of their fragments, in every text of a line. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logFormats } from '../contract/logs/formats.ts';
import { parseLogPattern } from '../contract/logs/pattern.ts';
import { createLogReader } from './read.ts';

/** A tab as patterns have it. */
const tab = '%09';
const [clients, stranger] = [/198\.51\.100\.7|2001:db8::7/g, '192.0.2.66'];

/** Texts of a pattern that repeat. */
const repeated =
  /(?<!\\)((?:\((?:\?:)?(?:\[(?:\\.|[^\]])*\]|\\.|\.)(?:\|(?:\\\\\.|\\.|[^|()])*)?\)|\[(?:\\.|[^\]])*\]|\.)[*+])/g;

/** Those after the address that a client writes. The others are numbers and words of the server, such as a port. */
const isOfClient = (form: string): boolean => form.startsWith('.') || form.includes('"') || form === '[^ ]*';

/** The places in a line that a client writes: the user, texts after the address, and the name of a certificate before a slash. */
function* placesIn(pattern: string, line: string): Generator<readonly [number, number]> {
  const parsed = parseLogPattern(pattern);
  assert.ok(parsed.ok);
  const { source, groups } = parsed.pattern;
  const spansOf = (text: string) => new RegExp(text, 'd').exec(line)?.indices?.slice(1) ?? [];
  const marked = spansOf(source);
  const [, addressEnd = line.length] = marked[groups.address - 1] ?? [];
  if (groups.user !== undefined && marked[groups.user - 1]) yield marked[groups.user - 1] as [number, number];
  const forms = source.replace(repeated, (form) => (isOfClient(form) ? `(${form})` : form));
  for (const place of spansOf(forms)) if (place && (place[0] >= addressEnd || line[place[1]] === '/')) yield place;
}

/** How servers write a quote and a blank of a client, and how one might that escapes nothing. */
const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('"', '\\x22'),
  (text) => text.replaceAll(' ', '_'),
];
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const ends = ['', '\\n', '#012', '%0a', '\n', '\r', '\0', '\n\t', ' ', '" ', ']', '/'];

/** The lines of a format with the address of a stranger: whole, from each mark on, and up to it. */
const fragmentsOf = (matches: readonly string[]): string[] =>
  matches
    .map((line) => line.replace(clients, stranger))
    .flatMap((line) => {
      const at = line.indexOf(stranger);
      return [line, line.slice(at), line.slice(0, at + stranger.length), line.slice(Math.max(0, at - 12))];
    });

const writtenIn = (line: string, text: string): string[] =>
  line.startsWith('{') ? [inJson(text)] : writings.map((write) => write(text));

describe('false lines made of the fragments of a pattern', () => {
  for (const { name, lines, programs } of logFormats)
    it(`have no stranger banned by ${name}`, () => {
      const reader = createLogReader({ lines, programs });
      const fragments = fragmentsOf(lines.flatMap(({ matches }) => matches.slice(0, 1)));
      const hostile = fragments.flatMap((text) => ends.flatMap((end) => [`x${end}${text}${end}y`, end + text]));
      let count = 0;
      for (const { pattern, matches } of lines)
        for (const line of matches.slice(0, 2).map((match) => match.replaceAll('\t', tab)))
          for (const [start, end] of placesIn(pattern, line)) {
            for (const written of hostile.flatMap((text) => writtenIn(line, text))) {
              const changed = line.slice(0, start) + written + line.slice(end);
              const entry = reader.ofFile(changed.replaceAll(tab, '\t'));
              if (entry?.outcome !== 'ignored') assert.notEqual(entry?.address, stranger, changed);
              count += 1;
            }
          }
      assert.ok(count > 0);
    });
});
