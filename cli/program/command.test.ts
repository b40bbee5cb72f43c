import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnyCommand, command, modeFor, runAndPrint } from './command.ts';
import type { Context } from './context.ts';

const plain = command<object, string>({
  examples: [],
  configure: (parser) => parser,
  run: async () => '',
  text: (result) => result,
});
const live: AnyCommand = { ...plain, view: async () => () => null };

const copied: AnyCommand = { ...live, isPlain: () => true };

const on = (isTTY: boolean, env: Context['env'] = {}): Context => ({ stdout: { isTTY }, env }) as unknown as Context;

const cases: readonly (readonly [string, AnyCommand, boolean, Context, string])[] = [
  ['a view on a terminal is live', live, false, on(true), 'live'],
  ['--json is JSON everywhere', live, true, on(true), 'json'],
  ['no terminal means text', live, false, on(false), 'plain'],
  ['no view means text', plain, false, on(true), 'plain'],
  ['CI means text', live, false, on(true, { CI: 'true' }), 'plain'],
  ['a dumb terminal means text', live, false, on(true, { TERM: 'dumb' }), 'plain'],
  ['text for copying is never drawn', copied, false, on(true), 'plain'],
  ['NO_COLOR does not select text', live, false, on(true, { NO_COLOR: '1' }), 'live'],
];

describe('the output format', () => {
  for (const [name, definition, json, context, expected] of cases) {
    it(name, () => assert.equal(modeFor(definition, {} as never, json, context), expected));
  }
});

describe('streaming results as JSON', () => {
  it('writes one line per item and waits for the reader', async () => {
    const events: string[] = [];
    let wake = () => {};
    const stdout = {
      writableNeedDrain: true,
      write: (text: string) => events.push(text),
      on: (event: 'drain' | 'error', listener: () => void) => {
        if (event === 'drain') wake = listener;
      },
      off: () => {},
    };
    async function* run() {
      for (const step of [[1, { a: '\u00e9' }], [2]]) {
        events.push('asked');
        yield step;
      }
      return 'summary';
    }
    const stream: AnyCommand = { ...plain, run, isStream: () => true };
    const status = runAndPrint(stream, {} as never, true, { stdout, env: {} } as unknown as Context);
    await new Promise(setImmediate);
    assert.deepEqual(events, ['asked', '1\n{"a":"\\u00e9"}\n']);
    wake();
    await new Promise(setImmediate);
    wake();
    assert.equal(await status, 0);
    assert.deepEqual(events.slice(2), ['asked', '2\n']);
  });
});
