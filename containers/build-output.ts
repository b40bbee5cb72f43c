import { createInterface } from 'node:readline';
import { ExternalError } from '../platform/errors.ts';

/** Lines of a failed build that the error quotes. */
const quotedLines = 20;

interface BuildEvent {
  readonly stream?: string;
  readonly error?: string;
}

const linesOf = ({ stream, error }: BuildEvent): readonly string[] =>
  (stream ?? error ?? '').split('\n').filter((text) => text.trim() !== '');

/**
 * Follows a build to its end, because the reader of dockerode does not detect failed builds.
 * @throws ExternalError with the last lines of a failed build
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
