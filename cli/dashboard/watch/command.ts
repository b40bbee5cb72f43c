import { ExternalError } from '../../../platform/errors.ts';
import { command, type Mode } from '../../program/command.ts';
import type { Context } from '../../program/context.ts';
import { chooseBoard, findBoards } from '../boards/find.ts';
import { openLoki } from '../loki/client.ts';
import { type LokiOptions, settingsOf, sinceMs, withLokiOptions } from '../loki/options.ts';
import { folderOf, lokiUrlOf } from '../stack/settings.ts';
import { openInGrafana } from './browser.ts';
import { documentOf, type WatchDocument } from './document.ts';
import { plainFrame } from './frame.ts';
import { lineText } from './line.ts';
import { Session, type WatchProgress } from './session.ts';
import { initialWatch, type WatchState } from './state.ts';

interface Options extends LokiOptions {
  readonly once?: boolean;
  readonly since?: string;
  readonly dashboard?: string;
}

const usualColumns = 80;

async function refuseUnready(url: string, signal: AbortSignal): Promise<void> {
  const loki = openLoki(url, signal);
  if (await loki.ready()) return;
  throw new ExternalError(`Loki at ${loki.address} takes no queries yet`, {
    code: 'loki_not_ready',
    hint: 'it takes some 20 s to start; try again',
    failed: { tool: 'loki' },
  });
}

async function* run(options: Options, context: Context, mode: Mode): AsyncGenerator<WatchProgress, WatchDocument> {
  const { stdout, now, signal } = context;
  const boards = findBoards(folderOf(options.dir, context));
  const board = chooseBoard(boards, options.dashboard);
  const settings = settingsOf(options, context);
  const loki = lokiUrlOf(settings);
  const rangeMs = options.since === undefined ? undefined : sinceMs(options.since);
  const columns = () => stdout.columns ?? usualColumns;
  const open = (state: WatchState) => openInGrafana(state, settings, context);
  const session = new Session(initialWatch(boards, boards.indexOf(board), rangeMs), { loki, now, columns, open });
  const press: Session['press'] = (key, size) => session.press(key, size);
  await refuseUnready(loki, signal);
  if (mode === 'live') for await (const state of session.frames(signal)) yield { state, columns: columns(), press };
  else await session.load(signal);
  const { state } = session;
  yield { state, columns: columns(), press };
  return documentOf(state, now());
}

export const definition = command<Options, WatchDocument, WatchProgress>({
  description:
    'Draws the dashboards of Grafana in the terminal, from the same files, with data of the same Loki: for a machine ' +
    'without a browser. In a pipe, and with --once, one frame is printed.',
  examples: [
    { line: 'guardcli dashboard watch', note: 'until q is pressed' },
    { line: 'guardcli dashboard watch --once --since 24h', note: 'one frame of the last day' },
    { line: 'guardcli dashboard watch --json | jq .panels[0]', note: 'the data of a panel' },
  ],
  configure: (parser) =>
    withLokiOptions(
      parser
        .option('--once', 'print one frame')
        .option('--since <time>', 'the range: the last 24h, 90m, 7d and so on (default: that of the dashboard)')
        .option('--dashboard <uid>', 'the first dashboard (default: the overview)'),
    ),
  run,
  isPlain: ({ once }) => once === true,
  isFullScreen: true,
  lines: ({ state, columns }, paint) => ({
    stdout: plainFrame(state, columns)
      .map((line) => lineText(line, paint))
      .join('\n'),
  }),
  view: async () => (await import('./view.tsx')).DashboardView,
  text: () => '',
  exitCode: ({ panels }) => Number(panels.some(({ error }) => error !== undefined)),
});
