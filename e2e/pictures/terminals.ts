import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCaptured } from '../../cli/testing/captured.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { program } from '../support/guardcli.ts';
import { type Owner, openTerminal, type Size } from '../support/tmux.ts';
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
  readonly act?: () => Promise<void>;
  readonly shows: string | RegExp;
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
  row: Pick<Screen, 'folder' | 'keys' | 'act' | 'shows' | 'args' | 'path'>,
): Screen => {
  const at = { file: `workbench-${name}`, env: `HOME='${row.folder}'` };
  return { ...at, size: wideTerminal, title: `The workbench: ${title}`, ...row };
};

const openScreen = (key: string): readonly Press[] => [
  ['BLOCKED 403', 'Escape'],
  [': commands', key],
];

/** Paths to request. The picture shows the result of the last one. */
const recentPaths = ['/', '/robots.txt', '/.git/config', '/phpinfo.php', '/static/..%252f.env'];

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
  await screen.act?.();
  await terminal.shows(screen.shows);
  const captured = screen.path ? terminal.colored().replace(...screen.path) : terminal.colored();
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
