import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { formula } from './homebrew.ts';

const skip = spawnSync('ruby', ['--version']).status === 0 ? false : 'ruby is not installed';
const text = formula('1.2.3', 'ab'.repeat(32));

/** Evaluates the class with a Homebrew that only records what the formula states. */
const recorder = `require "json"
class Formula
  singleton_class.undef_method :test
  def self.method_missing(name, *values, &block) = ($stated ||= {})[name] = values.first || true
end
eval($stdin.read)
puts JSON.generate($stated.merge(methods: RequestGuard.instance_methods(false)))`;

const ruby = (...args: string[]) => spawnSync('ruby', args, { input: text, encoding: 'utf8' });

describe('the formula', { skip }, () => {
  it('is valid Ruby without a warning', () => {
    const { status, stdout, stderr } = ruby('-wc');
    assert.deepEqual([status, stdout, stderr], [0, 'Syntax OK\n', '']);
  });

  it('states what Homebrew requires', () => {
    const { stdout, stderr } = ruby('-e', recorder);
    assert.equal(stderr, '');
    const { desc, ...stated } = JSON.parse(stdout);
    assert.deepEqual(stated, {
      homepage: 'https://github.com/request-guard/request-guard',
      url: 'https://github.com/request-guard/request-guard/releases/download/v1.2.3/request-guard-1.2.3.tgz',
      sha256: 'ab'.repeat(32),
      license: 'MIT',
      depends_on: 'node',
      test: true,
      methods: ['install'],
    });
    // `brew audit` refuses longer descriptions, an article at the start, and a full stop.
    assert.match(desc, /^(?!An? |The )[A-Z].{10,78}[^.]$/);
  });
});
