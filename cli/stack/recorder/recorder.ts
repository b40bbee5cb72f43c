/** Sends the event lines of an attached sandbox to an OTLP endpoint, or to the running stack of the dashboard. */
import { isEventType } from '../../../contract/events/read.ts';
import { openExporter } from '../../../platform/otlp/endpoint.ts';
import type { Context } from '../../program/context.ts';
import type { SandboxLine } from '../../sandbox/session/output.ts';
import { isReady } from '../services.ts';
import { defaultDir, logsFolder, readSettings } from '../settings.ts';
import { type EventFile, openEventFile } from './event-file.ts';

export interface Recorder {
  readonly onLine: (line: SandboxLine, text: string) => void;
  readonly close: () => Promise<void>;
}

export const noRecorder: Recorder = { onLine: () => {}, close: async () => {} };

/**
 * Time limit for the response of the collector, long enough for a busy machine. The port of a stopped stack refuses the
 * connection immediately.
 */
const healthTimeoutMs = 5000;

/** Opens the event file of the running stack. Only warns of errors, because the sandbox works without the stack. */
async function openStackFile(name: string, env: Context['env'], log: (message: string) => void) {
  try {
    const settings = readSettings(defaultDir(env), env);
    const isRunning = await isReady('collector', settings, AbortSignal.timeout(healthTimeoutMs));
    return isRunning ? await openEventFile(logsFolder(settings), `sandbox-${name}.jsonl`, log) : undefined;
  } catch (error) {
    log(`the dashboard gets no events of this sandbox: ${(error as Error).message}`);
    return undefined;
  }
}

/** Opens the recorder of a sandbox. @param name part of the file name, unique among running sandboxes */
export async function openRecorder(name: string, { env, stderr }: Context): Promise<Recorder> {
  const log = (message: string) => void stderr.write(`warning: ${message}\n`);
  const exporter = await openExporter({ service: `guardcli-sandbox-${name}`, env, log });
  const sink: Pick<EventFile, 'send' | 'close'> | undefined = exporter ?? (await openStackFile(name, env, log));
  if (!sink) return noRecorder;
  return {
    onLine: ({ type }, text) => {
      if (isEventType(type)) sink.send(text);
    },
    close: sink.close,
  };
}
