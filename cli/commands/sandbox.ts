import { defaultPort } from '../../containers/ports.ts';
import { exitCodes, UsageError } from '../../platform/errors.ts';
import { collectValues } from '../evaluate/options.ts';
import { requireBans } from '../input/bans.ts';
import { originFrom } from '../input/origin.ts';
import { type LoadedPolicy, readPolicy } from '../input/policy.ts';
import { portFrom } from '../input/port.ts';
import { defaultFile } from '../input/source.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import type { Paint } from '../program/paint.ts';
import { stepsOf } from '../program/steps.ts';
import type { Plan } from '../sandbox/plan/plan.ts';
import { passedVariables } from '../sandbox/plan/variables.ts';
import type { OnLine } from '../sandbox/session/output.ts';
import type { SandboxResult } from '../sandbox/session/result.ts';
import { Session, type Update } from '../sandbox/session/session.ts';
import { eventItems, eventLines, resultText } from '../sandbox/session/text.ts';
import type { Action, Work } from '../sandbox/session/work.ts';
import type { Recorder } from '../stack/recorder/recorder.ts';
import { configureSuite, refuseTwoForms, refuseWithoutSuite, type SuiteOptions } from '../suite/options.ts';
import type { CaseProbes } from '../suite/probes.ts';
import { proxyNamed, withTargetNames } from '../targets/find.ts';
import type { Target } from '../targets/table.ts';

interface Options extends SuiteOptions {
  readonly target: Target;
  readonly file?: string;
  readonly test?: boolean;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
  readonly port: string;
  readonly upstream?: string;
  readonly isolated?: boolean;
  readonly compiled?: boolean;
  readonly env?: readonly string[];
  readonly banList?: string;
}

function refuseConflicts({ target, test, detach, isolated, upstream, suite, compiled, banList }: Options): void {
  const refuse = (first: string, second: string, hint: string): never => {
    throw new UsageError(`${first} and ${second} are mutually exclusive`, { code: 'conflict', hint });
  };
  if (test && detach) refuse('--test', '--detach', '--test removes the sandbox when it is done');
  if (suite !== undefined && test) refuse('--suite', '--test', 'the cases are sent instead of the probes');
  if (suite !== undefined && detach) refuse('--suite', '--detach', '--suite removes the sandbox when it is done');
  if (suite !== undefined && !proxyNamed(target.name))
    refuse(target.title, '--suite', 'the cases are HTTP requests to a proxy');
  if (upstream !== undefined && !proxyNamed(target.name))
    refuse(target.title, '--upstream', 'its sandbox contains the backends of its services');
  if (banList !== undefined && !proxyNamed(target.name))
    refuse(target.title, '--ban-list', 'bans add makes bans there');
  if (compiled && target.name !== 'traefik')
    refuse(target.title, '--compiled', 'only Traefik runs the guard as a plugin and compiled');
  if (isolated && upstream !== undefined)
    refuse('--isolated', '--upstream', 'an isolated sandbox cannot reach other machines');
}

function actionOf({ test, suite, detach }: Options): Action {
  if (test || suite !== undefined) return 'test';
  return detach ? 'detach' : 'follow';
}

const isFollowing = (options: Options): boolean => actionOf(options) === 'follow' && options.dryRun !== true;

/** Creates the session. With --detach or --dry-run, the dashboard gets none of its events. */
async function openSession<P extends Plan, T>(
  work: Work<P, T>,
  options: Options,
  context: Context,
  cases?: CaseProbes,
) {
  const { noRecorder, openRecorder } = await import('../stack/recorder/recorder.ts');
  const isAttached = work.action !== 'detach' && options.dryRun !== true;
  const recorder: Recorder = isAttached ? await openRecorder(`${work.target.name}-${work.port}`, context) : noRecorder;
  const onLine: OnLine = (line, text) => {
    recorder.onLine(line, text);
    work.onLine(line, text);
  };
  return { session: new Session({ ...work, onLine }, context), recorder, cases };
}

/** Imports the code of suites only with --suite. */
async function casesOf(options: Options, policy: LoadedPolicy, context: Context): Promise<CaseProbes | undefined> {
  const { suite, only } = options;
  if (suite === undefined) return undefined;
  const { loadCases } = await import('../suite/probes.ts');
  return loadCases(suite, only, policy, context);
}

async function bansFor(file: string, { policy }: LoadedPolicy, context: Context): Promise<Buffer> {
  if (policy.banList) return (await requireBans(file, context)).bytes;
  throw new UsageError('--ban-list needs a policy with banList', {
    code: 'conflict',
    hint: 'add banList to the policy',
  });
}

async function openSandbox(options: Options, context: Context) {
  refuseWithoutSuite(options);
  refuseConflicts(options);
  const { target, file = defaultFile } = options;
  const shared = {
    action: actionOf(options),
    port: portFrom('--port', options.port),
    isolated: options.isolated === true,
  };
  const passed = passedVariables(options.env ?? [], context.env);
  const upstream =
    options.upstream === undefined
      ? undefined
      : originFrom('--upstream', options.upstream, { code: 'bad_upstream', example: 'http://localhost:3000' });
  const proxy = proxyNamed(target.name);
  if (!proxy) {
    const { readDaemon, tcpGuardWork } = await import('../sandbox/session/tcp-guard.ts');
    const work = tcpGuardWork({ ...shared, ...(await readDaemon(file, passed, context)) });
    return openSession(work, options, context);
  }
  const loaded = await readPolicy(file, context);
  const bans = options.banList === undefined ? undefined : await bansFor(options.banList, loaded, context);
  const cases = await casesOf(options, loaded, context);
  const { proxyWork } = await import('../sandbox/session/proxy.ts');
  const variant = options.compiled ? (await import('../build/sandbox.ts')).compiledSandbox : undefined;
  const proxied = { ...shared, variant, policy: loaded.policy, upstream, passed, bans, ...(cases && { cases }) };
  return openSession(await proxyWork(proxy, proxied, context), options, context, cases);
}

async function run(options: Options, report: (update: Update) => void, context: Context): Promise<SandboxResult> {
  const { session, recorder, cases } = await openSandbox(options, context);
  session.subscribe(report);
  const result = await (options.dryRun ? session.describe() : session.run()).finally(recorder.close);
  if (!cases || result.action !== 'tested') return result;
  return { ...result, action: 'checked', report: cases.result(result.report, result.url) };
}

async function textOf(result: SandboxResult, paint: Paint, { reporter = 'text' }: Options): Promise<string> {
  if (result.action !== 'checked') return resultText(result, paint);
  const { reportText } = await import('../suite/reporters/index.ts');
  return reportText(reporter, result.report, paint);
}

const isPassed = (result: SandboxResult): boolean =>
  (result.action !== 'tested' && result.action !== 'checked') || result.report.ok;

export const definition = command<Options, SandboxResult, Update>({
  description:
    'Starts the proxy with the policy in a locked-down container on the loopback of this machine. Its backend echoes ' +
    'the exact bytes of the request.\n\n' +
    'With tcp-guard it starts the daemon: its API on the port, its services on the ports after it, and backends that ' +
    'respond as each protocol begins.\n\n' +
    'Without --test or --detach it follows the security events until Ctrl-C; with --json it prints one event per line. ' +
    'The sandbox is removed however the command ends. guardcli sandbox list shows those that run.\n\n' +
    'It has made-up values for the variables that the policy names as ${NAME}. With --test and --suite it has no network, ' +
    'except with --upstream and in mode proxy.',
  examples: [
    { line: 'guardcli sandbox proxyb guard.json --test', note: 'send the whole probe suite, then remove it' },
    { line: 'guardcli sandbox caddy guard.json --suite cases.yaml', note: 'send the cases of a suite instead' },
    { line: 'guardcli sandbox caddy guard.json', note: 'try it by hand, and watch what is blocked' },
    {
      line: 'guardcli sandbox tcp-guard tcp-guard.yaml --test',
      note: 'the layer-4 daemon, with probes for every service',
    },
    { line: 'guardcli sandbox caddy guard.json --dry-run', note: 'the docker command that does the same' },
  ],
  configure: (parser) =>
    configureSuite(parser)
      .addArgument(withTargetNames(parser.createArgument('<target>', 'the proxy, or tcp-guard')))
      .argument('[file]', `the policy, or tcp-guard.yaml; - reads standard input (default: ${defaultFile})`)
      .option('--test', 'send the probe suite, print the result, and end')
      .option('--detach', 'leave it running; guardcli cleanup <port> removes it')
      .option('--dry-run', 'print the container command; compile and start nothing')
      .option('--port <number>', 'port on the loopback of this machine', String(defaultPort))
      .option('--upstream <url>', 'your backend instead of the echo')
      .option('--compiled', 'with Traefik: the guard compiled in, as by guardcli build, instead of the plugin')
      .option('--isolated', 'give the container no network beyond its published port, also without a suite')
      .option(
        '--ban-list <file>',
        'a ban list of tcp-guard, which is copied into the container for banList of the policy',
      )
      .option(
        '--env <name>',
        'pass this variable on to the policy, which has made-up values otherwise; may be repeated',
        collectValues,
      ),
  run: (options, context, mode) => {
    refuseTwoForms(options, mode);
    return stepsOf<Update, SandboxResult>((report) => run(options, report, context));
  },
  text: textOf,
  lines: ({ event }, paint) => eventLines(event, paint),
  items: ({ event }) => eventItems(event),
  view: async () => (await import('../views/sandbox.tsx')).SandboxView,
  isPlain: ({ dryRun, reporter = 'text' }) => dryRun === true || reporter !== 'text',
  isStream: isFollowing,
  exitCode: (result) => (isPassed(result) ? exitCodes.done : exitCodes.negative),
});
