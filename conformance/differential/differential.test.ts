import assert from 'node:assert/strict';
import process from 'node:process';
import { describe, it } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import { parseRegex } from '../../contract/regex/grammar.ts';
import { askAll, type Command } from './ask.ts';
import { banPolicies, banStream, writeGeneratedBans } from './bans.ts';
import { minimize } from './minimize.ts';
import { policies, randomPattern } from './policies.ts';
import { fromBase64, type Question, toBase64 } from './protocol.ts';
import { randomQuestion } from './questions.ts';
import { createRandom } from './random.ts';
import { referenceAnswers } from './reference.ts';

const known = ['/.env', '/a?b=../../etc/passwd'];
const stream = (seed: number) => {
  const random = createRandom(seed);
  return Array.from({ length: 200 }, () => randomQuestion(random, 20, known));
};

describe('questions', () => {
  it('are the same for the same seed, and others for another', () => {
    assert.deepEqual(stream(1), stream(1));
    assert.notDeepEqual(stream(1), stream(2));
  });

  it('have every part of a request', () => {
    const keys = new Set(stream(1).flatMap((question) => Object.keys(question)));
    assert.deepEqual(keys, new Set(['q', 't', 'h', 'b', 'r', 'm', 'ip', 'host']));
  });

  it('reach most reasons', () => {
    const random = createRandom(1);
    const asked = policies(random, 5);
    const answer = referenceAnswers(asked);
    const missing = new Set([
      'disabled',
      'method_not_inspected',
      'allowed_ip',
      'allow_pattern_match',
      'no_match',
      'block_pattern_match',
      'limit_length',
      'limit_decode_rounds',
    ]);
    for (let left = 50_000; left > 0 && missing.size > 0; left -= 1)
      missing.delete(answer(randomQuestion(random, asked.length, known)).v[1]);
    assert.deepEqual([...missing], []);
  });
});

describe('questions about ban lists', () => {
  const random = createRandom(1);
  const file = writeGeneratedBans(random);
  const asked = banPolicies(random, 24, file);
  const reasons = Array.from(banStream(random, 4000, asked.length), referenceAnswers(asked)).map(({ v }) => v[1]);
  const shareOf = (reason: string) => reasons.filter((one) => one === reason).length / reasons.length;

  it('find banned clients, clean ones and allowed ones', () => {
    for (const reason of ['banned', 'no_match', 'block_pattern_match', 'allowed_ip'])
      assert.ok(shareOf(reason) > 0.03, `${reason}: ${shareOf(reason)}`);
    assert.ok(shareOf('banned') < 0.6, `banned: ${shareOf('banned')}`);
  });

  it('find proxies whose clients are in X-Forwarded-For', () => {
    const withoutProxies = asked.map((policy) => ({ ...policy, trustedProxies: [] }));
    const [trusting, other] = [referenceAnswers(asked), referenceAnswers(withoutProxies)];
    const questions = [...banStream(createRandom(2), 4000, asked.length)];
    const changed = questions.filter((question) => trusting(question).v[1] !== other(question).v[1]);
    assert.ok(changed.length > 200, `${changed.length}`);
  });
});

describe('policies', () => {
  it('are valid', () => {
    for (const policy of policies(createRandom(1), 40)) assert.deepEqual(Policy.safeParse(policy).error, undefined);
  });

  it('have patterns of the grammar', () => {
    const random = createRandom(2);
    const refused = Array.from({ length: 2000 }, () => randomPattern(random)).filter(
      (source) => !parseRegex(source).ok,
    );
    assert.deepEqual(refused, []);
  });
});

describe('minimize', () => {
  it('leaves what the difference needs', async () => {
    const question: Question = {
      q: 0,
      t: toBase64('/abcXdef'),
      m: 'GET',
      h: [
        ['A', toBase64('1Y2')],
        ['B', toBase64('3')],
      ],
      b: toBase64('body'),
    };
    const differs = ({ t, h }: Question) =>
      fromBase64(t).includes('X') && (h ?? []).some(([, value]) => fromBase64(value).includes('Y'));
    const smallest = await minimize(question, async (questions) => questions.map(differs));
    assert.deepEqual(smallest, { q: 0, t: toBase64('X'), h: [['A', toBase64('Y')]] });
  });
});

describe('ask', () => {
  const program = (text: string): Command => [process.execPath, '-e', text];
  const echo = `
    const lines = require('node:readline').createInterface({ input: process.stdin });
    let n = 0;
    lines.on('line', (line) => { if (n++ > 0) console.log(JSON.stringify({ c: [JSON.parse(line).t], l: '', v: [] })); });`;
  const questions = stream(3);

  it('has one answer for each question, in order', async () => {
    const answers = await askAll(program(echo), { policies: [] }, questions);
    assert.deepEqual(
      answers.map((answer) => answer.c[0]),
      questions.map((question) => question.t),
    );
  });

  it('fails when the command does', async () => {
    await assert.rejects(askAll(program('process.exit(3)'), { policies: [] }, questions), /ended with status 3/);
  });

  it('fails when there is no command', async () => {
    await assert.rejects(askAll(['/nowhere/at/all'], { policies: [] }, questions), /ENOENT/);
  });
});
