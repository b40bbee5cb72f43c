import { exitCodes } from '../../platform/errors.ts';
import type { DiffResult } from '../policy/diff/result.ts';
import { type DiffOptions, diffPolicies } from '../policy/diff/run.ts';
import { diffNotes, diffText } from '../policy/diff/text.ts';
import { command } from '../program/command.ts';

export const definition = command<DiffOptions, DiffResult>({
  description:
    'Shows which settings and rules of two policies differ, and which requests get another verdict: with --paths the targets ' +
    'of a list, otherwise examples of every rule, in every part of a request that a policy inspects. Exits 1 if a verdict or the mode changes.',
  examples: [
    { line: 'guardcli diff old.json new.json', note: 'with examples of every rule' },
    { line: 'guardcli diff old.json new.json --paths links.txt', note: 'with the requests of your site' },
    {
      line: 'git show HEAD:guard.json | guardcli diff - guard.json',
      note: 'what your change of the policy does',
    },
  ],
  configure: (parser) =>
    parser
      .argument('<old>', 'the policy before; - reads standard input')
      .argument('<new>', 'the policy after')
      .option('--paths <file>', 'compare for a list with one target per line; - reads standard input'),
  run: diffPolicies,
  text: diffText,
  notes: diffNotes,
  exitCode: ({ changedVerdicts, mode }) =>
    changedVerdicts === 0 && mode === undefined ? exitCodes.done : exitCodes.negative,
});
