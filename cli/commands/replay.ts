import { formatNames } from '../../logs/access/formats.ts';
import { exitCodes } from '../../platform/errors.ts';
import { command } from '../program/command.ts';
import type { ReplayResult } from '../replay/result.ts';
import { type ReplayOptions, type ReplayStep, replay } from '../replay/run.ts';
import { progressText, replayNotes, replayText } from '../replay/text.ts';

export const definition = command<ReplayOptions, ReplayResult, ReplayStep>({
  description:
    'Evaluates every request of access logs: what the policy would have done to this traffic. Prints the counts, the rules ' +
    'that block with their most frequent requests, and suspected false positives: requests that the policy blocks, but ' +
    'that had succeeded after a link from the same site.\n\n' +
    'Reads the formats combined and common of nginx and Apache (also with a virtual host in front), both formats of Traefik, ' +
    'the one of Caddy, and JSON with the usual names. Files may be compressed with gzip and of any size. What is not a ' +
    'request, such as a TLS handshake, is counted apart.\n\n' +
    'With --json it prints one line for each request that the policy blocks, then a line with the counts.',
  examples: [
    { line: 'guardcli replay /var/log/nginx/access.log* -c guard.json', note: 'the current log and the rotated ones' },
    { line: 'docker logs traefik 2>&1 | guardcli replay - --format traefik', note: 'from standard input' },
    { line: 'guardcli replay access.log --host shop.example.com', note: 'a log whose lines record no host' },
  ],
  configure: (parser) =>
    parser
      .argument('<log...>', 'access logs, also compressed with gzip; - reads standard input')
      .option('-c, --config <file>', 'the policy; - reads standard input (default: guard.json if there is one)')
      .addOption(
        parser
          .createOption('--format <format>', 'the format of every log (default: by its content)')
          .choices(formatNames),
      )
      .option('--host <name>', 'the host of lines that record none'),
  run: replay,
  text: replayText,
  notes: replayNotes,
  lines: ({ progress }) => (progress ? { stderr: progressText(progress) } : {}),
  isStream: () => true,
  exitCode: ({ requests }) => (requests === 0 ? exitCodes.negative : exitCodes.done),
  items: ({ blocked, result }) => (result ? [...blocked, result] : blocked),
});
