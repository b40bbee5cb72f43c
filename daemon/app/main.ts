/** tcp-guard: the layer-4 daemon. Exit status 0: success; 1: failure; 2: wrong usage, or an unreadable file. */
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { loadDaemon } from '../../contract/load/daemon.ts';
import type { Loaded } from '../../contract/load/index.ts';
import { limits } from '../../contract/policy/limits.ts';
import { didYouMean } from '../../contract/values/nearest.ts';
import { readPipeSync, readReason, readRegularSync } from '../../platform/regular-file.ts';
import { sshWarning } from '../host/ssh-clients.ts';
import { loadPresetFile } from '../lists/preset-file.ts';
import { inheritedSockets } from '../process/inherited.ts';
import { log } from '../process/log.ts';
import { serviceManager } from '../process/service-manager.ts';
import { version } from '../process/version.ts';
import type { RunningDaemon } from './daemon.ts';
import { problemText, withPosition } from './problem-text.ts';
import { endBy, handleSignals, isEndRequested, releaseSignals } from './signals.ts';

const usage = `Usage: tcp-guard [-c tcp-guard.yaml]
       tcp-guard reload [-c tcp-guard.yaml]
       tcp-guard init host [--force]
       tcp-guard enforce [-c /etc/guard/tcp-guard.yaml]
       tcp-guard bans flush [-c /etc/guard/tcp-guard.yaml]
       tcp-guard notify --test [-c tcp-guard.yaml]
       tcp-guard --check [-c tcp-guard.yaml]
       tcp-guard --version

  -c, --config <file>  the configuration (default: tcp-guard.yaml)
      reload           reload the configuration of the running daemon through its API; status 1: refused
      init host        write /etc/guard/tcp-guard.yaml for what runs on this host, in mode detect, and start (as root)
      enforce          change bans.mode from detect to enforce, and reload
      --force          init host: replace a changed configuration
      bans flush       lift all bans, and those in the firewall, also while the daemon is stopped (as root)
      notify --test    send a test message to each target of the section notify; status 1: one was not sent
      --check          check the configuration and exit
      --version        print the version and exit
      --help           print this help and exit

Signals: HUP reloads the configuration and reopens the log, USR1 reopens the log, TERM and INT exit when connections
have ended, and after global.drain (default: 8 seconds) at the latest.
`;

const readErrors: Readonly<Record<string, string>> = {
  ENOENT: 'no such file. Pass its path, such as -c /etc/guard/tcp-guard.yaml',
  EISDIR: 'it is a folder. Pass the path of a file with -c',
  EACCES: 'permission denied. Make it readable for this user',
};

const options = {
  config: { type: 'string', short: 'c' },
  force: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  test: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function fail(message: string, status: number): void {
  process.stderr.write(`tcp-guard: ${message}\n`);
  process.exitCode = status;
}

function readConfiguration(name: string): Uint8Array | undefined {
  try {
    return readPipeSync(name, limits.daemonFileBytes);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = readErrors[code] ?? `${readReason(error)}. Pass the path of a configuration with -c`;
    fail(`cannot read ${name}: ${reason}`, 2);
    return undefined;
  }
}

const printError = (text: string): void => void process.stderr.write(`${text}\n`);

/** Loads a configuration file. Calls `report` with each of its problems. */
function loadConfiguration(name: string, report = printError): Loaded<Daemon> | undefined {
  const bytes = readConfiguration(name);
  const outdated = loadPresetFile(dirname(resolve(name)));
  if (outdated !== undefined) report(outdated);
  const loaded = bytes && loadDaemon(bytes, name, process.env);
  if (loaded && !loaded.ok) {
    for (const problem of loaded.problems) report(problemText(name, problem));
    if (loaded.omitted > 0) report(`${name}: ${loaded.omitted} more problems`);
    process.exitCode = 1;
  }
  return loaded;
}

async function checkConfiguration(name: string): Promise<void> {
  const loaded = loadConfiguration(name);
  if (!loaded?.ok) return;
  process.stdout.write(`${name}: schema passed\n`);
  for (const warning of loaded.warnings) printError(`warning: ${problemText(name, warning)}`);
  const warning = sshWarning(loaded.value);
  if (warning !== undefined) printError(`warning: ${warning}`);
  const { unusableFiles } = await import('./unusable.ts');
  for (const problem of await unusableFiles(loaded.value, dirname(resolve(name)))) printError(`warning: ${problem}`);
}

function startSummary(daemon: RunningDaemon): string {
  const services = daemon.services().map(({ name, listen }) => `${name} on ${listen}`);
  const api = daemon.apiAddresses().map((address) => `API on ${address}`);
  return [...services, ...api].join(', ') || 'no services and no API configured';
}

async function serve(name: string): Promise<void> {
  const loaded = loadConfiguration(name, log.error);
  if (!loaded?.ok || isEndRequested()) return;
  process.stderr.on('error', () => {}); // standard error may close; connections continue
  const { StartError, startDaemon } = await import('./daemon.ts');
  const { UnreadableStore } = await import('../bans/store.ts');
  const read = () => {
    const outdated = loadPresetFile(dirname(resolve(name)));
    if (outdated !== undefined) log.warning(outdated);
    return loadDaemon(readRegularSync(name, limits.daemonFileBytes), name, process.env);
  };
  try {
    const inherited = inheritedSockets(process.env);
    const daemon = await startDaemon(loaded.value, { read, folder: dirname(resolve(name)), inherited });
    for (const warning of loaded.warnings) log.warning(problemText(name, warning));
    const warning = sshWarning(loaded.value);
    if (warning !== undefined) log.warning(warning);
    const manager = serviceManager({ env: process.env, log: log.warning });
    handleSignals(daemon, manager.stopping);
    if (isEndRequested()) return;
    log.info(`ready; ${startSummary(daemon)}`);
    manager.ready(startSummary(daemon));
  } catch (error) {
    const problems = error instanceof StartError ? error.problems : [];
    for (const problem of problems) log.error(problemText(name, withPosition(loaded, problem)));
    if (problems.length === 0) log.error((error as Error).message);
    process.exitCode = 1;
    if (error instanceof UnreadableStore && !error.isClosed) endBy('SIGKILL');
  }
}

async function reload(name: string): Promise<void> {
  const loaded = loadConfiguration(name);
  if (!loaded?.ok) return;
  const { requestReload } = await import('./reload-client.ts');
  const result = await requestReload(loaded.value);
  if (!result.ok)
    return fail([result.message, ...result.problems.map((problem) => problemText(name, problem))].join('\n'), 1);
  process.stdout.write(result.changed.length === 0 ? 'nothing changed\n' : `changed: ${result.changed.join(', ')}\n`);
  for (const problem of result.problems) process.stderr.write(`problem: ${problem}\n`);
}

async function flush(name: string): Promise<void> {
  const loaded = loadConfiguration(name);
  if (!loaded?.ok) return;
  const { flushBans } = await import('./flush.ts');
  try {
    process.stdout.write(`${await flushBans(loaded.value)}\n`);
  } catch (error) {
    fail(`cannot lift the bans: ${(error as Error).message}`, 1);
  }
}

async function initHost(force: boolean): Promise<void> {
  const { initHost, SetupError } = await import('../setup/init-host.ts');
  try {
    await initHost({ force, print: (line) => void process.stdout.write(`${line}\n`) });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    fail(`cannot set up this host: ${error.message}`, 1);
  }
}

/** Changes the mode in the file, which keeps its comments, and makes the running daemon read it. */
async function enforce(name: string): Promise<void> {
  const loaded = loadConfiguration(name);
  if (!loaded?.ok) return;
  const { enforceFile } = await import('../setup/enforce.ts');
  const warning = sshWarning(loaded.value);
  if (warning !== undefined) printError(`warning: ${warning}`);
  if (loaded.value.bans.mode === 'enforce') process.stdout.write(`${name} has mode enforce already\n`);
  else {
    const problem = enforceFile(name);
    if (problem !== undefined) return fail(`cannot change bans.mode in ${name}: ${problem}`, 1);
    process.stdout.write(`${name}: changed bans.mode to enforce\n`);
  }
  await reload(name);
}

async function testNotices(name: string): Promise<void> {
  const loaded = loadConfiguration(name);
  if (!loaded?.ok) return;
  const { testTargets } = await import('../notify/index.ts');
  const { lines, ok } = await testTargets(loaded.value);
  process.stdout.write(`${lines.join('\n') || 'there are no targets'}\n`);
  if (!ok) process.exitCode = 1;
}

interface Command {
  readonly work: (name: string) => Promise<void>;
  /** The configuration without -c. */
  readonly file: string;
}

const defaultFile = 'tcp-guard.yaml';
const serving: Command = { work: serve, file: defaultFile };
const checking: Command = { work: checkConfiguration, file: defaultFile };
const named: ReadonlyMap<string, Command> = new Map([
  ['reload', { work: reload, file: defaultFile }],
  ['notify', { work: testNotices, file: defaultFile }],
  ['enforce', { work: enforce, file: '/etc/guard/tcp-guard.yaml' }],
  ['bans flush', { work: flush, file: '/etc/guard/tcp-guard.yaml' }],
]);

function commandHint(command: string): string {
  const near = didYouMean(command, [...named.keys(), 'init host']);
  return near === undefined ? 'see tcp-guard --help' : `${near} See tcp-guard --help`;
}

async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const command = positionals.join(' ');
  if (command !== '' || values.check) releaseSignals();
  if (values.help) process.stdout.write(usage);
  else if (values.version) process.stdout.write(`${version}\n`);
  else if (command === 'init host') await initHost(values.force);
  else if (command !== '' && !named.has(command)) fail(`unknown command ${command}; ${commandHint(command)}`, 2);
  else if (values.test !== (command === 'notify')) fail('notify and --test need each other; see tcp-guard --help', 2);
  else {
    const { work, file } = named.get(command) ?? (values.check ? checking : serving);
    await work(values.config ?? file);
  }
}

async function main(args: readonly string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // parseArgs throws a TypeError that describes the wrong option
    // Only the first sentence: in the others, Node suggests positional arguments, which tcp-guard refuses.
    const [sentence = ''] = error.message.split('. ');
    fail(`${sentence}; see tcp-guard --help`, 2);
  }
}

await main(process.argv.slice(2));
