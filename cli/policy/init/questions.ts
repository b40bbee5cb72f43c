/** The questions of `guardcli init`. Each row also defines an option. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Mode } from '../../../contract/policy/modes.ts';
import { policyModes } from '../../../contract/values/policy-modes.ts';
import { UsageError } from '../../../platform/errors.ts';
import type { Context } from '../../program/context.ts';

interface Question {
  readonly question: string;
  readonly choices: readonly string[];
  readonly usual: string;
}

/** The response modes that `init` offers: common ones without required settings. */
const simpleModes = [
  'text',
  'json',
  'html',
  'ratelimit',
  'silent_drop',
  'fake_success',
] as const satisfies readonly Mode[];

export const questions = {
  proxy: { question: 'Which proxy runs the guard?', choices: ['caddy', 'traefik', 'nginx'], usual: 'caddy' },
  mode: {
    question: 'Block requests (enforce), or only report them (detect)?',
    choices: policyModes,
    usual: 'enforce',
  },
  response: { question: 'How is a blocked request answered?', choices: simpleModes, usual: 'text' },
  ci: {
    question: 'Where do the tests of the policy run?',
    choices: ['github', 'gitlab', 'shell', 'none'],
    usual: 'github',
  },
} as const satisfies Record<string, Question>;

export type QuestionName = keyof typeof questions;
export type Answers = { readonly [name in QuestionName]: (typeof questions)[name]['choices'][number] };

export const questionNames = Object.keys(questions) as QuestionName[];

const isTerminal = (stdin: Readable): boolean => 'isTTY' in stdin && stdin.isTTY === true;

/** Repeats a question until the answer is valid. An empty line is the default. */
async function askQuestion(
  { question, choices, usual }: Question,
  lines: AsyncIterator<string>,
  { stderr }: Context,
): Promise<string> {
  for (;;) {
    stderr.write(`${question} (${choices.join(', ')}; default: ${usual}) `);
    const { done, value } = await lines.next();
    if (done)
      throw new UsageError('the input ended before the last question', {
        code: 'no_answer',
        hint: 'answer with options, or pass --yes',
      });
    const answer = value.trim().toLowerCase() || usual;
    if (choices.includes(answer)) return answer;
    stderr.write(`choose one of ${choices.join(', ')}\n`);
  }
}

/** Returns the answers: from options, then from the user at a terminal, then from the defaults. */
export async function answersFor(given: Partial<Answers>, isAsked: boolean, context: Context): Promise<Answers> {
  const open = questionNames.filter((name) => given[name] === undefined);
  const usual = Object.fromEntries(open.map((name) => [name, questions[name].usual]));
  if (!isAsked || open.length === 0 || !isTerminal(context.stdin)) return { ...usual, ...given } as Answers;
  const reader = createInterface({ input: context.stdin, signal: context.signal });
  try {
    const lines = reader[Symbol.asyncIterator]();
    const answers: Record<string, string> = {};
    for (const name of open) answers[name] = await askQuestion(questions[name], lines, context);
    return { ...answers, ...given } as Answers;
  } finally {
    reader.close();
  }
}
