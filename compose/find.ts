import { type CommandOptions, command } from '../platform/command.ts';
import { ExternalError } from '../platform/errors.ts';
import { isOlder, parseVersion, type Tool, tools, versionArguments } from './tools.ts';

/** Runs a program to its end: `command` of the platform, or a recording in tests. */
export type Run = (program: string, args: readonly string[], options?: CommandOptions) => Promise<string>;

export interface Found {
  readonly tool: Tool;
  readonly version: string;
}

const hint =
  'install the compose plugin of Docker (Debian 13: apt-get install docker-compose; Ubuntu: ' +
  'docker-compose-v2; Debian 12 has older ones, so take docker-compose-plugin of Docker), or podman-compose; https://docs.docker.com/compose/install lists others';

/** Milliseconds to print a version: several times longer than a tool takes on a busy machine. */
const versionMs = 15_000;

/** Returns why a tool cannot be used, or undefined when it can. */
function problemOf(tool: Tool, printed: string): string | undefined {
  const version = parseVersion(printed);
  if (version === undefined || !isOlder(version, tool.oldest)) return undefined;
  return `version ${version.join('.')} is too old: ${tool.oldest.join('.')} is needed`;
}

/**
 * Matches what Docker prints when the compose plugin is not installed. Docker 20.10 prints its whole usage, and
 * `failed.output` has only the last lines of it.
 */
const noPlugin = /^unknown (?:shorthand )?flag|unknown command|is not a docker command|^Run 'docker COMMAND --help'/;

function reasonOf(error: unknown, withinMs: number): string {
  if (!(error instanceof ExternalError)) return `no response in ${withinMs / 1000} s`;
  const { message, failed } = error;
  const lines = failed.output?.split('\n').filter((line) => line.trim() !== '') ?? [];
  // The last line of a Python program that failed names the error.
  const line = lines[0]?.startsWith('Traceback') ? lines.at(-1) : lines[0];
  if (lines.some((one) => noPlugin.test(one))) return 'its plugin is not installed';
  return line ?? message.replace(/^.*cannot be started: it is/, 'it is');
}

interface FindOptions extends Pick<CommandOptions, 'env' | 'signal'> {
  /** Milliseconds in which each tool must print its version. */
  readonly withinMs?: number;
}

/** Finds the first tool that can be used. @throws ExternalError that names each tool, and why it cannot be used */
export async function findTool(
  { env, signal, withinMs = versionMs }: FindOptions,
  run: Run = command,
  table: readonly Tool[] = tools,
): Promise<Found> {
  const tried: string[] = [];
  for (const tool of table) {
    const late = AbortSignal.timeout(withinMs);
    const options = { ...(env && { env }), signal: signal ? AbortSignal.any([signal, late]) : late };
    try {
      const printed = await run(tool.program, [...tool.prefix, ...versionArguments], options);
      const problem = problemOf(tool, printed);
      if (problem === undefined) return { tool, version: parseVersion(printed)?.join('.') ?? printed.trim() };
      tried.push(`${tool.name}: ${problem}`);
    } catch (error) {
      if (signal?.aborted || !(error instanceof ExternalError || late.aborted)) throw error;
      tried.push(`${tool.name}: ${reasonOf(error, withinMs)}`);
    }
  }
  throw new ExternalError('no compose tool was found', {
    code: 'no_compose',
    hint,
    failed: { tool: 'compose', output: tried.join('\n') },
  });
}
