/** Answers the questions of runner.py with the reference engine, which has no response modes and no captcha. */
import { createInterface } from 'node:readline';
import { loadPolicy } from '../../contract/load/index.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { ambiguousRepetition } from '../../contract/regex/ambiguity.ts';
import { parseRegex } from '../../contract/regex/grammar.ts';
import type {
  CandidateTest,
  PolicyTest,
  RegexTest,
  UpgradeTest,
  VectorKind,
  VerdictTest,
} from '../../contract/vectors/schema.ts';
import { compile, keptUpgrades, pathCandidates } from '../../engine/index.ts';
import { candidateOutcome, regexOutcome, upgradeOutcome, verdictOutcome } from './compare.ts';

const subject = { compile, pathCandidates, parseRegex };

/** The compiled policy of the last question. Consecutive questions mostly have the same policy. */
let lastPolicy = { text: '', guard: compile(Policy.parse({})) };

function guardFor(policy: unknown) {
  const text = JSON.stringify(policy);
  if (text !== lastPolicy.text) lastPolicy = { text, guard: compile(Policy.parse(policy)) };
  return lastPolicy.guard;
}

function backtrackingAnswer({ pattern }: RegexTest): object {
  const parsed = parseRegex(pattern);
  const offset = parsed.ok ? ambiguousRepetition(parsed.tree)?.at : parsed.offset;
  return { ok: offset === undefined, offset };
}

function loadAnswer(test: PolicyTest): object {
  const bytes = test.text === undefined ? Buffer.from(test.textBase64 ?? '', 'base64') : Buffer.from(test.text);
  const loaded = loadPolicy(bytes, test.id);
  return loaded.ok ? { ok: true, resolved: loaded.value } : { ok: false, problems: loaded.problems };
}

type Question = {
  readonly kind: VectorKind;
  readonly policy: unknown;
  readonly allowUpgrades: readonly string[];
} & CandidateTest &
  VerdictTest &
  UpgradeTest &
  RegexTest &
  PolicyTest;

const answers: Partial<Record<VectorKind, (question: Question) => unknown>> = {
  candidates: (question) => candidateOutcome(subject, question).actual,
  verdicts: (question) => ({ expect: verdictOutcome(guardFor(question.policy), question).actual }),
  upgrades: (question) => upgradeOutcome(keptUpgrades, question.allowUpgrades, question).actual as object,
  regex: (question) => regexOutcome(subject, question).actual,
  backtracking: backtrackingAnswer,
  policies: loadAnswer,
};

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line) as Question;
  const answer = answers[question.kind];
  if (!answer) throw new Error(`the reference engine has no ${question.kind}`);
  process.stdout.write(`${JSON.stringify(answer(question))}\n`);
}
