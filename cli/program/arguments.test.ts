import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Command as Parser } from 'commander';
import { joinOptionalValues } from './arguments.ts';

const parser = new Parser()
  .option('--check-query [bool]')
  .option('-q, --query <query>')
  .option('--trace')
  .argument('[path]');

const cases: readonly (readonly [string, string[], string[]])[] = [
  ['a path after an option with an optional value stays a path', ['--check-query', '/y'], ['--check-query=true', '/y']],
  ['true and false belong to the option', ['--check-query', 'false', '/y'], ['--check-query=false', '/y']],
  ['at the end the option means true', ['/y', '--check-query'], ['/y', '--check-query=true']],
  ['a joined value is unchanged', ['--check-query=maybe', '/y'], ['--check-query=maybe', '/y']],
  ['the value of another option is not an option', ['-q', '--check-query', '/y'], ['-q', '--check-query', '/y']],
  ['flags without a value take none', ['--trace', 'true'], ['--trace', 'true']],
  ['arguments after -- are unchanged', ['--', '--check-query', 'true'], ['--', '--check-query', 'true']],
  ['an empty list stays empty', [], []],
];

describe('joinOptionalValues', () => {
  for (const [name, argv, expected] of cases) {
    it(name, () => assert.deepEqual(joinOptionalValues(argv, parser), expected));
  }
});
