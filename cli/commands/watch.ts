import { ExternalError } from '../../platform/errors.ts';
import { command, type Mode } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { paintFor } from '../program/paint.ts';
import { isInteractive } from '../program/terminal.ts';
import { openLoki } from '../stack/loki/client.ts';
import { type LokiOptions, lokiUrl, sinceMs, withLokiOptions } from '../stack/loki/options.ts';
import { folderOf } from '../stack/settings.ts';
import { chooseBoard, findBoards } from '../watch/boards/find.ts';
import { documentOf, type WatchDocument } from '../watch/document.ts';
import { loadBoard } from '../watch/load.ts';
import { openUi } from '../workbench/load.ts';

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

const isScreen = ({ once, dashboard }: Options, mode: Mode, context: Context): boolean =>
  mode !== 'json' && !once && dashboard === undefined && isInteractive(context);

/** Yields the frame that is printed. Returns nothing after the screen, which has been seen. */
async function* run(options: Options, context: Context, mode: Mode): AsyncGenerator<string, WatchDocument | undefined> {
  const { stdout, env, now, signal } = context;
  const url = lokiUrl(options, context);
  const rangeMs = options.since === undefined ? undefined : sinceMs(options.since);
  await refuseUnready(url, signal);
  if (isScreen(options, mode, context)) {
    await openUi({}, context, { ...options, rangeMs });
    return undefined;
  }
  const board = chooseBoard(findBoards(folderOf(options.dir, context)), options.dashboard);
  const columns = stdout.columns ?? usualColumns;
  const range = { board, rangeMs: rangeMs ?? board.rangeMs, now: now() };
  const loaded = await loadBoard(openLoki(url, signal), range, columns);
  if (mode === 'plain') yield (await import('../watch/view.tsx')).frameText(loaded, columns, paintFor(stdout, env));
  return documentOf(loaded);
}

export const definition = command<Options, WatchDocument | undefined, string>({
  description:
    'Shows what is being blocked, from which address and by which rule, and the commands that explain, allow and ban. ' +
    'In a pipe, and with --once or --dashboard, one frame of a dashboard of Grafana is printed.',
  examples: [
    { line: 'guardcli dashboard watch', note: 'until q is pressed' },
    { line: 'guardcli dashboard watch --once --since 24h', note: 'one frame of the last day' },
    { line: 'guardcli dashboard watch --json | jq .panels[0]', note: 'the data of a panel' },
  ],
  configure: (parser) =>
    withLokiOptions(
      parser
        .option('--once', 'print one frame of a dashboard')
        .option('--since <time>', 'the range: the last 24h, 90m, 7d and so on (default: that of the dashboard, or 15m)')
        .option('--dashboard <uid>', 'the dashboard that is printed (default: the overview)'),
    ),
  run,
  lines: (frame) => ({ stdout: frame }),
  text: () => '',
  exitCode: (document) => Number(document?.panels.some(({ error }) => error !== undefined) ?? false),
});
