import type { Why } from '../../contract/api/records.ts';
import { type DaemonOptions, withDaemon } from '../bans/options.ts';
import { command } from '../program/command.ts';
import { withLokiOptions } from '../stack/loki/options.ts';
import { isAddressText, whyAddress, whyAddressText } from '../why/address.ts';
import type { WhyResult } from '../why/result.ts';
import { type WhyOptions, why } from '../why/run.ts';
import { whyNotes, whyText } from '../why/text.ts';

export const definition = command<WhyOptions & DaemonOptions, WhyResult | Why>({
  description:
    'Finds the event of a blocked request by the reference in its response. Prints the request, the reading that matched, ' +
    'the rule and its reason, how often the rule and the address occur in the events around it, and the exception that ' +
    'would let the request pass. Reads event files of the gateways, also compressed with gzip. Without files, it searches ' +
    'the Loki of the stack that `guardcli dashboard up` starts. With an address it asks a running tcp-guard what decides on it: bans, ' +
    'decisions, lists, exemptions, and the commands that lift them.',
  examples: [
    {
      line: 'guardcli why 7K3QF2M9TD /var/log/guard/*/*.jsonl*',
      note: 'in the current event files and the rotated ones',
    },
    { line: 'guardcli why 7k3qf2m9td --since 30d', note: 'in Loki: the last 30 days' },
    { line: 'guardcli why 192.0.2.7', note: 'why tcp-guard refuses this address, and what lifts it' },
  ],
  configure: (parser) =>
    withDaemon(
      withLokiOptions(
        parser
          .argument(
            '<reference>',
            'the reference in the response: 10 characters, upper or lower case; or an address or network',
          )
          .argument('[file...]', 'event files; - reads standard input; without any, Loki is searched')
          .option('-c, --config <file>', 'the policy; - reads standard input (default: guard.json if there is one)')
          .option('--since <time>', 'in Loki: the last 24h, 90m, 30d and so on (default: 7d)'),
      ),
    ),
  run: async (options, context) =>
    isAddressText(options.reference) ? whyAddress(options.reference, options, context) : why(options, context),
  text: (result, paint, options) => ('ip' in result ? whyAddressText(result, paint, options) : whyText(result, paint)),
  notes: (result, paint) => ('ip' in result ? '' : whyNotes(result, paint)),
});
