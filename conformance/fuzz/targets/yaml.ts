/** Fuzzes the YAML parser with random tokens. Every problem must have a place in the text. */
import assert from 'node:assert/strict';
import { readYaml } from '../../../contract/load/yaml.ts';
import type { Random } from '../../differential/random.ts';
import { createTarget } from '../target.ts';

const tokens = [
  ...['a', 'b: ', 'key: value', '- ', '? ', ': ', ',', '{', '}', '[', ']', '"', "'", '|', '>-', '|2+', '#', ' # text'],
  ...['&a ', '*a', '*b', '<<: ', '!!map ', '!!binary ', '!x ', '---', '...', '%YAML 1.2', '~', 'null', '0x1f', '.inf'],
  ...[
    '\n',
    '\n',
    '\n  ',
    '\n    ',
    '\r\n',
    '\r',
    '\t',
    ' ',
    '\\',
    '\0',
    '\ufeff',
    '\u2028',
    '😀',
    '__proto__: ',
    '1e999',
  ],
];
const mostTokens = 40;

const randomText = (random: Random): string => random.several(1, mostTokens, () => random.pick(tokens)).join('');

function check(text: string): void {
  for (const { offset, message, earlier = 0 } of readYaml(text).faults) {
    assert.ok(offset >= 0 && offset <= text.length && earlier >= 0 && earlier <= text.length);
    assert.notEqual(message, '');
    assert.doesNotMatch(message, /\p{Cc}/u);
  }
}

export const yaml = createTarget({ name: 'YAML', make: randomText, check });
