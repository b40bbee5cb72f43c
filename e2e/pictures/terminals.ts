import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCaptured } from '../../cli/testing/captured.ts';
import { packageRoot } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { pushEvents } from '../dashboard/loki-events.ts';
import { program } from '../support/guardcli.ts';
import { type Owner, openTerminal, type Size, type TmuxTerminal } from '../support/tmux.ts';
import { type AttackedDaemon, startDaemonWithBans } from './daemon.ts';
import { exampleEvents, now } from './events.ts';
import { startStack } from './stack.ts';
import { screenSvg } from './svg.ts';

/** Keys to press when the text appears. */
type Press = readonly [shown: string | RegExp, ...keys: string[]];

interface Screen {
  /** Path of the picture below docs/pictures/, without `.svg`. */
  readonly file: string;
  /** Describes the picture for readers who cannot see it. */
  readonly title: string;
  readonly line: string;
  readonly size: Size;
  /** Shows the command line above the output. */
  readonly hasPrompt?: true;

  readonly keys?: readonly Press[];
  readonly act?: (terminal: TmuxTerminal) => Promise<void>;
  readonly shows: string | RegExp;
  /** Keys that end the program after the picture. */
  readonly end?: readonly Press[];
  /** Folder in which the program runs. Default: the root of the clone. */
  readonly folder?: string;
  readonly env?: string;
  /** A path or address of this machine, and its replacement in the picture. */
  readonly path?: readonly [string, string];
  /** End of the command line that the picture does not show. */
  readonly unseen?: string;
}

const narrowTerminal: Size = { columns: 80, rows: 24 };
const wideTerminal: Size = { columns: 140, rows: 40 };
/** A terminal that is higher than any output. The picture ends below the last line. */
const longTerminal: Size = { columns: 110, rows: 60 };

const atBothSizes = ({ file, ...screen }: Omit<Screen, 'size'>): readonly Screen[] => [
  { ...screen, file: `${file}-80x24`, size: narrowTerminal },
  { ...screen, file: `${file}-140x40`, size: wideTerminal },
];

/** Loki refuses old events, so the events end at the last 14:30 UTC. The clock of the program stops at this time. */
const dayMs = 86_400_000;
const watchedAt = now + Math.floor((Date.now() - now) / dayMs) * dayMs;
const clockVariable = `NODE_OPTIONS='--import=data:text/javascript,Date.now=()=>${watchedAt}'`;

const policy = '{\n  "checkQuery": true,\n  "mode": "enforce"\n}\n';

/** Screens of the workbench with the policy of a folder. */
const workbench = (
  name: string,
  title: string,
  row: Pick<Screen, 'folder' | 'keys' | 'act' | 'shows' | 'end' | 'unseen' | 'path'>,
): Screen => {
  // Without the cache folder, another HOME would compile the programs of the sandbox again.
  const home = `HOME='${row.folder}' XDG_CACHE_HOME='${dirname(cacheFolder())}'`;
  const at = { file: `workbench-${name}`, line: '', env: `${home} PATH='${row.folder}':"$PATH" ${clockVariable}` };
  return { ...at, size: wideTerminal, title: `The workbench: ${title}`, ...row };
};

const openScreen = (key: string): readonly Press[] => [
  ['BLOCKED 403', 'Escape'],
  [': commands', key],
];

/** Paths to request. The picture shows the result of the last one. */
const recentPaths = ['/', '/robots.txt', '/.git/config', '/phpinfo.php', '/static/..%252f.env'];

const scannedPaths = [
  ...['/.env', '/.git/config', '/wp-config.php.bak', '/phpinfo.php', '/backup.sql', '/static/..%252f..%252fetc/passwd'],
  ...['/.aws/credentials', '/dump.sql.gz', '/server-status', '/id_rsa'],
];

async function scan({ screen }: TmuxTerminal): Promise<void> {
  const send = (path: string) => fetch(`http://localhost:8081${path}`).catch(() => undefined);
  await until(
    async () => (await send('/'))?.ok === true,
    () => `the sandbox to serve:\n${screen()}`,
  );
  for (const path of scannedPaths) await send(path);
}

const workbenchScreens = (folder: string, { socket, attack }: AttackedDaemon): readonly Screen[] => [
  ...atBothSizes(
    workbench('try', 'a request, the readings of its path with the rules that match them, and the verdict', {
      ...{ folder, shows: 'kept' },
      keys: [['nginx', ...recentPaths.flatMap((path) => ['C-u', path, 'Enter'])]],
    }),
  ),
  workbench('policy', 'the rules of the policy, and the change of the file that removes one of them', {
    ...{ folder, shows: '"env-file"' },
    keys: [
      ['BLOCKED 403', 'C-u', '/.env', 'Enter'],
      ['env-file', 'Escape'],
      [': commands', '2'],
      ['Rules 1', '/', 'env-file', 'Enter', 'x'],
    ],
  }),
  workbench('sandboxes', 'the sandboxes of each proxy and of tcp-guard; Caddy serves, with the events of a scan', {
    ...{ folder, keys: [...openScreen('3'), ['not started', 'j'], ['--port 8081', 's']], act: scan },
    shows: `serving, ${scannedPaths.length} events`,
    end: [
      ['serving', 'x'],
      ['stopped', 'q'],
    ],
  }),
  workbench('daemon', 'services, bans and events of tcp-guard', {
    ...{ folder, keys: [...openScreen('4'), ['ok  tcp-guard']], act: attack, shows: /\b5 events/ },
    ...{ unseen: `ui --daemon 'unix://${socket}'`, path: [socket, '/run/guard/api.sock'] },
  }),
  workbench('blocked', 'addresses with the rules that blocked them, and the commands about the selected one', {
    ...{ folder, shows: /What to type[\s\S]*GET /, unseen: 'dashboard watch --since 24h' },
  }),
];

const screensOf = (folder: string, daemon: AttackedDaemon, port: number): readonly Screen[] => [
  {
    ...{ file: 'test-trace', size: longTerminal, hasPrompt: true, line: "test '/static/..%252f.env' --trace" },
    title: 'guardcli test --trace: the request is blocked; every reading of its path has the rule that matches it',
    shows: /BLOCKED 403/,
  },
  {
    ...{ file: 'sandbox-caddy', size: longTerminal, hasPrompt: true, line: 'sandbox caddy examples/guard.json --test' },
    title: 'guardcli sandbox caddy --test: the steps with their times, and a table of passed probes by kind',
    // Finds the browser of the test image.
    env: `PATH='${join(packageRoot, 'scripts/test-image/bin')}':"$PATH"`,
    shows: /^all +\d/m,
    // Another port, because the default port can be in use.
    ...{ unseen: `--port ${port}`, path: [`localhost:${port}`, 'localhost:8080'] },
  },
  ...workbenchScreens(folder, daemon),
];

function shellLine({ line, hasPrompt, folder = packageRoot, env = '', unseen = '' }: Screen): string {
  const prompt = hasPrompt ? `printf '%s\\n' '$ guardcli ${line.replaceAll("'", "'\\''")}';` : '';
  return `cd '${folder}'; ${prompt} ${env} '${process.execPath}' '${program}' ${line} ${unseen}; read -r`;
}

async function capture(owner: Owner, screen: Screen): Promise<string> {
  const terminal = openTerminal(owner, shellLine(screen), screen.size);
  const pressAll = async (presses: readonly Press[] = []): Promise<void> => {
    for (const [shown, ...keys] of presses) {
      await terminal.shows(shown);
      if (keys.length > 0) terminal.press(...keys);
    }
  };
  await pressAll(screen.keys);
  await screen.act?.(terminal);
  await terminal.shows(screen.shows);
  const captured = screen.path ? terminal.colored().replace(...screen.path) : terminal.colored();
  await pressAll(screen.end);
  return screenSvg(captured, screen.size, screen.title);
}

async function fillLoki(address: string): Promise<void> {
  const events = exampleEvents(watchedAt);
  const batch = 2000;
  for (let at = 0; at < events.length; at += batch) await pushEvents(address, events.slice(at, at + batch));
}

/** Returns pictures by file name. All started programs end with the owner. */
export async function terminalPictures(owner: Owner): Promise<Map<string, string>> {
  const folder = scratchFolder('guard-pictures-');
  await runCaptured(['init', '--yes'], { cwd: folder });
  writeFileSync(join(folder, 'guard.json'), policy);
  const stack = join(folder, '.guard/observability');
  await fillLoki(await startStack(owner, folder, stack));
  const daemon = await startDaemonWithBans(owner);
  const pictures = new Map<string, string>();
  for (const screen of screensOf(folder, daemon, await freePort()))
    pictures.set(`${screen.file}.svg`, await capture(owner, screen));
  return pictures;
}
