import { formatNames } from '../../logs/access/formats.ts';
import { exitCodes, UsageError } from '../../platform/errors.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import type { BansResult } from '../replay/bans/result.ts';
import type { BansOptions } from '../replay/bans/run.ts';
import { bansNotes, bansText } from '../replay/bans/text.ts';
import type { ReplayResult } from '../replay/result.ts';
import { type ReplayOptions, type ReplayStep, replay } from '../replay/run.ts';
import { progressText, replayNotes, replayText } from '../replay/text.ts';

type Options = ReplayOptions & BansOptions & { readonly bans?: boolean };
type Result = ReplayResult | BansResult;

const isBans = (result: Result): result is BansResult => result.type === 'bans';

/** @throws UsageError for options of the other form */
function refuseOtherForm({ log, bans, journal, format, host }: Options): void {
  const others = bans ? { format, host } : { journal };
  for (const [name, value] of Object.entries(others))
    if (value !== undefined)
      throw new UsageError(bans ? `--${name} and --bans are mutually exclusive` : `--${name} needs --bans`, {
        code: 'conflict',
      });
  if (!bans && log.length === 0)
    throw new UsageError('no access log is named', {
      code: 'missing_argument',
      hint: 'name one, or - for standard input',
    });
}

function run(options: Options, context: Context) {
  refuseOtherForm(options);
  return options.bans ? runBans(options, context) : replay(options, context);
}

/** Imports the code that counts failures only with --bans. */
async function runBans(options: Options, context: Context): Promise<BansResult> {
  const { replayBans } = await import('../replay/bans/run.ts');
  return replayBans(options, context);
}

export const definition = command<Options, Result, ReplayStep>({
  description:
    'Evaluates every request of access logs: what the policy would have done to this traffic. Prints the counts, the rules ' +
    'that block with their most frequent requests, and suspected false positives: requests that the policy blocks, but ' +
    'that had succeeded after a link from the same site.\n\n' +
    'Reads the formats combined and common of nginx and Apache (also with a virtual host in front), both formats of Traefik, ' +
    'the one of Caddy, and JSON with the usual names. Files may be compressed with gzip and of any size. Rotated ones are read oldest first. What is not a ' +
    'request, such as a TLS handshake, is counted apart.\n\n' +
    'With --json it prints one line for each request that the policy blocks, then a line with the counts.\n\n' +
    'With --bans it reads the logs of the sources in intake of tcp-guard.yaml, and prints which addresses tcp-guard would ' +
    'have banned, when and for how long, and which of them had logged in. It counts as the daemon does, by the times in the ' +
    'lines. Without a log it reads the file of each source and its last rotated one, with --journal also units and ' +
    'containers in the journal since yesterday.',
  examples: [
    { line: 'guardcli replay /var/log/nginx/access.log* -c guard.json', note: 'the current log and the rotated ones' },
    { line: 'guardcli replay /var/log/nginx', note: 'the logs of a folder' },
    { line: 'docker logs traefik 2>&1 | guardcli replay - --format traefik', note: 'from standard input' },
    { line: 'guardcli replay --bans --journal -c /etc/guard/tcp-guard.yaml', note: 'what tcp-guard would have banned' },
    { line: 'guardcli replay access.log --host shop.example.com', note: 'a log whose lines record no host' },
  ],
  configure: (parser) =>
    parser
      .argument('[log...]', 'access logs, also compressed with gzip, or folders; - reads standard input')
      .option(
        '-c, --config <file>',
        'the policy, with --bans tcp-guard.yaml; - reads standard input (default: guard.json if there is one)',
      )
      .option('--bans', 'what tcp-guard would have banned')
      .option('--journal', 'with --bans: read the journal of systemd too')
      .addOption(
        parser
          .createOption('--format <format>', 'the format of every log (default: by its content)')
          .choices(formatNames),
      )
      .option('--host <name>', 'the host of lines that record none'),
  run,
  text: (result, paint) => (isBans(result) ? bansText(result, paint) : replayText(result, paint)),
  notes: (result, paint) => (isBans(result) ? bansNotes(result, paint) : replayNotes(result, paint)),
  lines: ({ progress }) => (progress ? { stderr: progressText(progress) } : {}),
  isStream: ({ bans }) => bans !== true,
  exitCode: (result) => (!isBans(result) && result.requests === 0 ? exitCodes.negative : exitCodes.done),
  items: ({ blocked, result }) => (result ? [...blocked, result] : blocked),
});
