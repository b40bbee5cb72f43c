/** Skips that were reviewed: with CI=true any other skip fails the run. */
import type { Skip } from '../tasks/task.ts';

interface Reviewed {
  /** `suite: name of the test`, as the closing summary prints it. */
  readonly test: RegExp;
  /** What the test gives as its reason. */
  readonly reason: RegExp;
  /** Why the run may do without it. */
  readonly why: string;
}

export const reviewed: readonly Reviewed[] = [
  {
    test: /^unit: /,
    reason: /^there is no (?:systemd-analyze|logrotate)$/,
    why: 'only a machine with systemd and logrotate can check their files; CI on Ubuntu has both',
  },
  {
    test: /^(?:unit|heavy): /,
    reason: /^a (?:small )?disk can only be mounted by root$/,
    why: 'CI runs as an ordinary user; a run as root has these tests',
  },
  {
    test: /^unit: terminals$/,
    reason: /^script\(1\) is not installed$/,
    why: 'macOS has a script(1) with other options, and slim images have none',
  },
  {
    test: /^faults: /,
    reason: /^the processes of the container runtime are not visible from here$/,
    why: 'the container runtime of macOS runs in a virtual machine, whose /proc is not ours',
  },
];

/** The skips that no row covers. */
export const unreviewed = (skips: readonly Skip[]): Skip[] =>
  skips.filter(({ name, reason }) => !reviewed.some((row) => row.test.test(name) && row.reason.test(reason)));
