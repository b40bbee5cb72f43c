import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Block, blocksOf, isShell, type Step, scriptOf, stepsOf } from './blocks.ts';
import { writeFixtures } from './fixtures.ts';
import { createScratch, type Scratch } from './scratch.ts';

/** Time limit of a command. The longest one is a sandbox that builds its image. */
const limitMs = 10 * 60_000;
/** Time limit for a service to print what the page shows, and for a reader to find what the service wrote. */
const startMs = 60_000;

const shortened = (text: string): string => text.replace(/^(.{117}).{4,}$/gm, '$1...');

interface Ended {
  readonly status: number | string;
  readonly output: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly closed: Promise<unknown>;
}

function startScript(script: string, { folder, env, prefix }: Scratch): Started {
  const [tool = 'bash', ...args] = [...prefix, 'bash', '-o', 'pipefail', '-ec', script];
  const child = spawn(tool, args, { cwd: folder, env, detached: true });
  child.stdin.end();
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return { child, output: () => text, closed: once(child, 'close') };
}

function endProcess({ child: { pid } }: Started): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // the process has already ended
  }
}

export async function runScript(script: string, scratch: Scratch): Promise<Ended> {
  const started = startScript(script, scratch);
  const timer = setTimeout(endProcess, limitMs, started);
  await started.closed;
  clearTimeout(timer);
  const { exitCode, signalCode } = started.child;
  return { status: exitCode ?? String(signalCode), output: started.output() };
}

/** Runs a service, such as `tcp-guard`. The service has started when it has printed what the page shows. */
async function runService(step: Step, way: string, scratch: Scratch, services: Started[]): Promise<Ended> {
  const started = startScript(step.command, scratch);
  services.push(started);
  for (const deadline = Date.now() + startMs; Date.now() < deadline; await sleep(20))
    if (isShown(step.output, started.output(), way) || started.child.exitCode !== null) break;
  return { status: started.child.exitCode ?? 0, output: started.output() };
}

const serviceLines = [
  /^(?:\w+=\S+ )?tcp-guard -c \S+$/,
  /^curl .*--no-buffer/,
  /^guardcli sandbox (?!.* --(?:test|suite|detach|dry-run))/,
];
const isService = ({ command }: Step): boolean => serviceLines.some((line) => line.test(command));

/**
 * True when the command reads what a service writes. A service writes a moment after the request, so such a command is
 * repeated.
 */
const isReader = ({ command }: Step): boolean => command.includes('guardcli dashboard report ');

/** For the way `sandbox`, removes the progress of sandbox steps and the output of the image builder. */
const withoutProgress = (text: string, way: string): string =>
  way === 'sandbox' ? text.replace(/^(?:[a-z][a-z ]+ \.\.\.| {2}\| .*)\n/gm, '') : text;

/**
 * Replaces the parts of an output that differ between runs. For all ways except `run` these include every number
 * but those of tests and probes.
 */
function withoutVariableParts(text: string, way: string): string {
  const plain = text
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b[\d.,]+ (?:ms|s)\b/g, 'DURATION')
    .replace(/:[0-9a-f]{16}\b/g, ':TAG')
    .replace(/^TIME warning: the descriptor limit .*\n/gm, '')
    .replace(/^looking for a container runtime: .*$/gm, 'looking for a container runtime');
  return way === 'run'
    ? plain
    : plain
        .replace(/\b(?:\d+[dhms])+\b/g, 'DURATION')
        .replace(/\d[\d,.]*(?![\d,.]| (?:passed|failed|probes)\b)/g, '0')
        .replace(/ +/g, ' ');
}

/** True when the page shows this output. A line `...` in the page matches any number of lines. */
function matchesPage(shown: string, output: string, way: string): boolean {
  const parts = withoutVariableParts(shown, way).split(/^\.\.\.\n/m);
  const text = withoutVariableParts(output, way);
  if (parts.length === 1) return text === parts[0];
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.startsWith(parts[0] ?? '') && text.endsWith(parts.at(-1) ?? '');
}

/** True when the page shows this output in full, or with its long lines truncated. */
export const isShown = (shown: string, output: string, way: string): boolean =>
  matchesPage(shown, output, way) || matchesPage(shown, shortened(output), way);

async function runReader({ command, output: shown }: Step, way: string, scratch: Scratch): Promise<Ended> {
  for (const deadline = Date.now() + startMs; ; await sleep(200)) {
    const ended = await runScript(command, scratch);
    if (isShown(shown, ended.output, way) || Date.now() > deadline) return ended;
  }
}

/** The result of a block. `body` is the expected text of the block in the page. */
export interface Result {
  readonly block: Block;
  readonly body: string;
  readonly problems: readonly string[];
}

/** Exit statuses of bash for a command that cannot be started. */
const notStartedStatuses = [126, 127];

async function runSession(block: Block, scratch: Scratch, services: Started[]): Promise<Result> {
  const problems: string[] = [];
  let body = '';
  for (const step of stepsOf(block)) {
    const { command, output: shown } = step;
    const run = (): Promise<Ended> => {
      if (isService(step)) return runService(step, block.way, scratch, services);
      return services.length > 0 && isReader(step) ? runReader(step, block.way, scratch) : runScript(command, scratch);
    };
    const { status, output } = await run();
    const text = withoutProgress(output, block.way).replace(/(?<=[^\n])$/, '\n');
    const same = isShown(shown, text, block.way);
    if (!same) problems.push(`prints something else:\n${shortened(text)}`);
    if (notStartedStatuses.includes(Number(status))) problems.push(`cannot be started: ${command}`);
    body += `$ ${command}\n${same ? shown : shortened(text)}`;
  }
  return { block, body, problems };
}

async function runBlock(block: Block, scratch: Scratch, services: Started[]): Promise<Result> {
  if (block.language === 'console') return runSession(block, scratch, services);
  const { status, output } = await runScript(block.body, scratch);
  return { block, body: block.body, problems: status === 0 ? [] : [`ends with ${status}:\n${output}`] };
}

/** Runs the blocks of a page that are tested in this way, in order and in one folder. */
export async function runPage(page: string, text: string, way: string, given?: Scratch): Promise<Result[]> {
  const blocks = blocksOf(page, text).filter((block) => isShell(block) && block.way === way);
  if (blocks.length === 0) return [];
  const scratch = given ?? createScratch();
  const services: Started[] = [];
  const results: Result[] = [];
  try {
    for (const block of blocks) {
      writeFixtures(scriptOf(block), scratch.folder, way === 'image');
      results.push(await runBlock(block, scratch, services));
    }
  } finally {
    services.forEach(endProcess);
    await Promise.all(services.map(({ closed }) => closed));
    scratch.remove();
  }
  return results;
}

export function withResults(text: string, results: readonly Result[]): string {
  const bodies = new Map(results.map(({ block, body }) => [block.line, body]));
  let line = 1;
  return text
    .split(/(^```.*\n[\s\S]*?^```$)/gm)
    .map((part) => {
      const body = bodies.get(line);
      line += part.split('\n').length - 1;
      return body !== undefined && part.startsWith('```')
        ? part.replace(/\n[\s\S]*\n?```$/, () => `\n${body}\`\`\``)
        : part;
    })
    .join('');
}
