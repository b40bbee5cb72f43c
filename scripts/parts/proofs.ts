/** Proofs about the tests themselves: that the engines agree far beyond the vectors, and that the vectors miss nothing. */
import type { Task } from '../graph/task.ts';
import { check } from './checked.ts';
import { sharing } from './go-modules.ts';

const node = process.execPath;

/** Both take minutes of every processor, so they run beside the other parts. */
export const proofParts: readonly Task[] = [
  {
    ...check({
      name: 'differential',
      does: 'putting 20,000 generated requests to the engines in TypeScript, Go and Lua',
      needs: ['native', 'luajit'],
      tool: node,
      args: ['contract/differential/compare.ts', '--count', '20000'],
      options: { env: sharing },
      mend: 'make the engines agree on the requests above; `npm run differential` repeats them',
    }),
    background: true,
  },
  {
    ...check({
      name: 'mutants',
      does: 'asking the vectors to notice every mutant of the engine',
      needs: ['native'],
      tool: node,
      args: ['contract/mutants/run.ts'],
      mend: 'add a vector for each mutant named above; `npm run mutants` repeats this',
    }),
    background: true,
  },
];
