/** `guardcli sandbox <target> [file]` */

import { exitCodes, UsageError } from '../../platform/errors.ts';
import { readPolicy } from '../input/policy.ts';
import { defaultFile } from '../input/source.ts';
import { command } from '../program/command.ts';
import type { SessionOptions } from '../sandbox/prepare.ts';
import { advance, type News, type SandboxProgress } from '../sandbox/progress.ts';
import { createReporter } from '../sandbox/reporter.ts';
import { describeSandbox, runSandbox, type SandboxResult } from '../sandbox/session.ts';
import { steps } from '../sandbox/steps.ts';
import { targetNamed, targetNames } from '../sandbox/targets/index.ts';
import type { Target } from '../sandbox/targets/target.ts';
import { tcpGuardNames } from '../sandbox/targets/tcp-guard-names.ts';
import { newsLines, resultText } from '../sandbox/text.ts';

interface Options {
  readonly target: string;
  readonly file?: string;
  readonly test?: boolean;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
  readonly port: string;
  readonly upstream?: string;
  readonly isolated?: boolean;
}

/** The port of the specification. */
const defaultPort = 8080;

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`--port is ${JSON.stringify(text)}`, {
    code: 'bad_port',
    hint: 'give a number from 1 to 65535',
  });
}

function upstreamOf(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && [url.pathname, url.search, url.hash].join('') === '/';
  if (url && isOrigin && url.username === '' && url.password === '') return url;
  const hint = 'give scheme, host and port alone, such as http://localhost:3000';
  throw new UsageError(`--upstream is ${JSON.stringify(text)}`, { code: 'bad_upstream', hint });
}

/** Pairs that cannot stand together, with the reason. */
function refuseConflicts({ target, test, detach, isolated, upstream }: Options): void {
  const refuse = (message: string, hint: string): never => {
    throw new UsageError(message, { code: 'conflict', hint });
  };
  if (test && detach) refuse('--test and --detach cannot stand together', '--test removes the sandbox when it is done');
  if (upstream !== undefined && tcpGuardNames.includes(target.toLowerCase())) {
    refuse(
      'tcp-guard and --upstream cannot stand together',
      'its services have backends of their own in the container',
    );
  }
  if (isolated && upstream !== undefined) {
    refuse('--isolated and --upstream cannot stand together', 'an isolated sandbox reaches no other machine');
  }
}

function actionOf({ test, detach }: Options): SessionOptions['action'] {
  if (test) return 'test';
  return detach ? 'detach' : 'follow';
}

export const sandboxCommand = command<Options, SandboxResult, SandboxProgress>({
  description:
    'Starts the proxy with the policy in a locked-down container on the loopback of this machine. Its backend returns ' +
    'the exact bytes of the request.\n\n' +
    'With tcp-guard it starts the daemon: its API on the port, its services on the ports after it, and backends that ' +
    'respond as each protocol begins.\n\n' +
    'Without --test or --detach it follows the security events until Ctrl-C. The sandbox is removed however the command ends.',
  examples: [
    { line: 'guardcli sandbox proxyb guard.json --test', note: 'send the whole probe suite, then remove it' },
    { line: 'guardcli sandbox caddy guard.json', note: 'try it by hand, and watch what is blocked' },
    {
      line: 'guardcli sandbox tcp-guard tcp-guard.yaml --test',
      note: 'the layer-4 daemon, and probes of every service',
    },
    { line: 'guardcli sandbox caddy guard.json --dry-run', note: 'the docker command that does the same' },
  ],
  configure: (parser) =>
    parser
      .addArgument(parser.createArgument('<target>', 'the proxy').choices([...targetNames, ...tcpGuardNames]))
      .argument('[file]', `the policy, or tcp-guard.yaml; - reads standard input (default: ${defaultFile})`)
      .option('--test', 'send the probe suite, print the result, and end')
      .option('--detach', 'leave it running; guardcli cleanup removes it')
      .option('--dry-run', 'print the container command and start nothing')
      .option('--port <number>', 'port on the loopback of this machine', String(defaultPort))
      .option('--upstream <url>', 'a backend of your own instead of the echo')
      .option('--isolated', 'close every way out of the container'),
  run: (options, context) =>
    steps<SandboxProgress, SandboxResult>(async (report) => {
      refuseConflicts(options);
      const port = portOf(options.port);
      const upstream = upstreamOf(options.upstream);
      const file = options.file ?? defaultFile;
      let progress: SandboxProgress | undefined;
      const tell = (news: News): void => {
        progress = advance(progress, news);
        report(progress);
      };
      const reporter = createReporter(tell, context.now);
      const isolated = options.isolated === true;
      if (tcpGuardNames.includes(options.target.toLowerCase())) {
        const { readDaemon, describeTcpGuard, runTcpGuard } = await import('../sandbox/tcp-session.ts');
        const session = { ...(await readDaemon(file, context)), action: actionOf(options), port, isolated };
        return (options.dryRun ? describeTcpGuard : runTcpGuard)(session, reporter, context);
      }
      const { policy } = await readPolicy(file, context);
      const target = targetNamed(options.target) as Target;
      const session: SessionOptions = { target, policy, action: actionOf(options), port, upstream, isolated };
      return (options.dryRun ? describeSandbox : runSandbox)(session, reporter, context);
    }),
  text: resultText,
  lines: ({ news }, paint) => newsLines(news, paint),
  view: async () => (await import('../views/sandbox.tsx')).SandboxView,
  isPlain: ({ dryRun }) => dryRun === true,
  exitCode: (result) => (result.action === 'tested' && !result.report.ok ? exitCodes.negative : exitCodes.done),
});
