import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCaptured } from '../../cli/testing/captured.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { program } from '../support/guardcli.ts';
import { type Owner, openTerminal, type Size, type TmuxTerminal } from '../support/tmux.ts';
import { type AttackedDaemon, startDaemonWithBans } from './daemon.ts';
import { screenSvg } from './svg.ts';

/** Keys to press when the text appears. */
type Press = readonly [shown: string | RegExp, ...keys: string[]];

interface Screen {
  /** Path of the picture below docs/pictures/, without `.svg`. */
  readonly file: string;
  /** Describes the picture for readers who cannot see it. */
  readonly title: string;
  readonly size: Size;
  readonly keys?: readonly Press[];
  readonly act?: (terminal: TmuxTerminal) => Promise<void>;
  readonly shows: string | RegExp;
  /** Keys that end the program after the picture. */
  readonly end?: readonly Press[];
  /** Folder in which the program runs. */
  readonly folder: string;
  readonly env: string;
  /** A path or address of this machine, and its replacement in the picture. */
  readonly path?: readonly [string, string];
  /** Arguments of the program. */
  readonly args?: string;
}

const narrowTerminal: Size = { columns: 80, rows: 24 };
const wideTerminal: Size = { columns: 140, rows: 40 };

const atBothSizes = ({ file, ...screen }: Omit<Screen, 'size'>): readonly Screen[] => [
  { ...screen, file: `${file}-80x24`, size: narrowTerminal },
  { ...screen, file: `${file}-140x40`, size: wideTerminal },
];

const policy = '{\n  "checkQuery": true,\n  "mode": "enforce"\n}\n';

/** Screens of the workbench with the policy of a folder. */
const workbench = (
  name: string,
  title: string,
  row: Pick<Screen, 'folder' | 'keys' | 'act' | 'shows' | 'end' | 'args' | 'path'>,
): Screen => {
  // Without the cache folder, another HOME would compile the programs of the sandbox again.
  const home = `HOME='${row.folder}' XDG_CACHE_HOME='${dirname(cacheFolder())}'`;
  const at = { file: `workbench-${name}`, env: home };
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
    ...{ args: `ui --daemon 'unix://${socket}'`, path: [socket, '/run/guard/api.sock'] },
  }),
];

const shellLine = ({ folder, env, args = '' }: Screen): string =>
  `cd '${folder}'; ${env} '${process.execPath}' '${program}' ${args}; read -r`;

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

/** Returns pictures by file name. All started programs end with the owner. */
export async function terminalPictures(owner: Owner): Promise<Map<string, string>> {
  const folder = scratchFolder('guard-pictures-');
  await runCaptured(['init', '--yes'], { cwd: folder });
  writeFileSync(join(folder, 'guard.json'), policy);
  const daemon = await startDaemonWithBans(owner);
  const pictures = new Map<string, string>();
  for (const screen of workbenchScreens(folder, daemon))
    pictures.set(`${screen.file}.svg`, await capture(owner, screen));
  return pictures;
}
