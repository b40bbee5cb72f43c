/**
 * Passes the event lines of an attached sandbox to the dashboard: by OTLP to a configured endpoint, otherwise through a
 * file in the event folder of the stack that is running.
 */
import { openExporter } from '../../../platform/otlp/endpoint.ts';
import type { Context } from '../../program/context.ts';
import type { SandboxLine } from '../../sandbox/session/output.ts';
import { defaultDir, logsFolder, readSettings, urlOf } from '../stack/settings.ts';
import { type EventFile, openEventFile } from './event-file.ts';

export interface Recorder {
  readonly onLine: (line: SandboxLine, text: string) => void;
  readonly close: () => Promise<void>;
}

export const noRecorder: Recorder = { onLine: () => {}, close: async () => {} };

const eventTypes: ReadonlySet<string> = new Set([
  'guard_block',
  'guard_detect',
  'guard_block_summary',
  'security_event',
]);

/** Timeout for the collector in milliseconds. Long enough for a busy machine; the port of a stopped stack refuses at once. */
const healthTimeoutMs = 5000;

const responds = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(healthTimeoutMs) }).then(
    (response) => response.ok,
    () => false,
  );

/** Opens the event file of a sandbox if the stack runs. Only warns of invalid settings of the stack: the sandbox works without it. */
async function openStackFile(name: string, env: Context['env'], log: (message: string) => void) {
  try {
    const settings = readSettings(defaultDir(env), env);
    const isRunning = await responds(urlOf(settings, 'collectorHealth'));
    return isRunning ? await openEventFile(logsFolder(settings), `sandbox-${name}.jsonl`, log) : undefined;
  } catch (error) {
    log(`the dashboard gets no events of this sandbox: ${(error as Error).message}`);
    return undefined;
  }
}

/** Opens the recorder of a sandbox. @param name part of the file name, which no other running sandbox may have */
export async function openRecorder(name: string, { env, stderr }: Context): Promise<Recorder> {
  const log = (message: string) => void stderr.write(`warning: ${message}\n`);
  const exporter = await openExporter({ service: `guardcli-sandbox-${name}`, env, log });
  const sink: Pick<EventFile, 'send' | 'close'> | undefined = exporter ?? (await openStackFile(name, env, log));
  if (!sink) return noRecorder;
  return {
    onLine: ({ type }, text) => {
      if (eventTypes.has(type)) sink.send(text);
    },
    close: sink.close,
  };
}
