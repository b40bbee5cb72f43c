/** Reads the output of an image build. */
import { createInterface } from 'node:readline';
import { ExternalError } from '../../../platform/errors.ts';

/** Number of quoted lines of a failed build. */
const quotedLines = 20;

interface BuildEvent {
  readonly stream?: string;
  readonly error?: string;
}

const linesOf = ({ stream, error }: BuildEvent): readonly string[] =>
  (stream ?? error ?? '').split('\n').filter((text) => text.trim() !== '');

/**
 * Reads the output of the builder to its end. The reader of dockerode does not detect failed builds.
 * @throws ExternalError with the last lines when the build failed
 */
export async function followBuild(output: NodeJS.ReadableStream, onLine: (line: string) => void): Promise<void> {
  const quoted: string[] = [];
  let hasFailed = false;
  for await (const text of createInterface({ input: output, crlfDelay: Infinity })) {
    const event = JSON.parse(text) as BuildEvent;
    hasFailed ||= event.error !== undefined;
    for (const line of linesOf(event)) {
      quoted.push(line);
      if (quoted.length > quotedLines) quoted.shift();
      onLine(line);
    }
  }
  if (!hasFailed) return;
  throw new ExternalError('building the sandbox image failed', {
    code: 'image_build_failed',
    failed: { tool: 'container runtime', output: quoted.join('\n') },
  });
}
