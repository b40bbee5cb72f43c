/** Reviewed skips. When the variable CI is set, any other skip fails the run. */
import type { Skip } from '../tasks/task.ts';

interface Reviewed {
  /** Matches `suite: name of the test` as in the summary. */
  readonly test: RegExp;
  /** The end of the reason that the test reports. A test file must contain this text. */
  readonly reason: string;
  /** Why a run may skip the test, for a reader of this file. */
  readonly justification: string;
}

export const reviewedSkips: readonly Reviewed[] = [
  {
    test: /^unit: (?:the formula|the systemd unit|systemd learns .*|nothing is sent without systemd.*|logrotate accepts the rotation|terminals|probe over TLS)$/,
    reason: ' is not installed',
    justification:
      'systemd, logrotate and the script(1) of Linux are missing on macOS and, with openssl and Ruby, in slim images; CI on Ubuntu has them',
  },
  {
    test: /^(?:unit|heavy|dashboard-stack): /,
    reason: ' file system needs root',
    justification: 'CI runs as an ordinary user; a run as root has these tests',
  },
  {
    test: /^(?:unit|heavy|linux-plane): notices a reset that arrived before the last bytes of its side were read$/,
    reason: ' hold the end but not all bytes before it',
    justification:
      'the system chooses the sizes of its buffers, and only Linux shows the states of connections; CI on Ubuntu has this test',
  },
  {
    test: /^unit: the compose file$/,
    reason: ' compose tool is on this machine',
    justification: 'macOS and slim images have none; CI on Ubuntu has the plugin of Docker',
  },
  {
    test: /^faults: /,
    reason: ' are not visible from here',
    justification: 'the container runtime of macOS runs in a virtual machine, whose /proc is not ours',
  },
  {
    test: /^(?:terminal|dashboard-collector|dashboard-stack): /,
    reason: ' of Loki is neither here nor within reach',
    justification:
      'Loki is in no package registry, and its image cannot be pulled everywhere; CI on GitHub pulls it, and LOKI_PROGRAM names a program',
  },
  {
    test: /^wire: /,
    reason: ' and GRAFANA_URL is not set',
    justification:
      'Grafana is in no package registry, and its image cannot be pulled everywhere; a run with GRAFANA_URL opens the dashboards',
  },
];

/** Returns the skips without a row in the table. */
export const unreviewedSkips = (skips: readonly Skip[]): Skip[] =>
  skips.filter(({ name, reason }) => !reviewedSkips.some((row) => row.test.test(name) && reason.endsWith(row.reason)));
