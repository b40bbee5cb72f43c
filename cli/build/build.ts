/** Builds the program of a proxy, or an image, with the guard in it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../../artefacts/go.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import { open } from '../../containers/docker.ts';
import type { Context } from '../program/context.ts';
import { buildContext } from './image.ts';
import { type BuildObserver, type BuiltProgram, makeProgram, titlesOf } from './make.ts';
import { checkOutput, licensesPath, placeProgram, sha256Of } from './output.ts';
import type { ProgramSpec } from './steps.ts';

export interface BuildRequest {
  readonly spec: ProgramSpec;
  readonly platform: Platform;
  /** Path of the file. Absent: only an image is made. */
  readonly output?: string;
  readonly image?: string;
}

export interface Progress {
  readonly title: string;
  readonly number: number;
  readonly count: number;
  readonly line?: string;
  /** Why the web interface is omitted. */
  readonly omitted?: string;
}

export interface BuildReport {
  readonly action: 'built';
  readonly proxy: string;
  readonly version: string;
  /** Version of the guard. */
  readonly guard: string;
  readonly modules: readonly string[];
  readonly webInterface: boolean;
  /** The Go compiler that was used. */
  readonly go: string;
  readonly os: string;
  readonly arch: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly output?: string;
  /** File with the licenses of the proxy, of the guard and of their modules. */
  readonly licenses?: string;
  readonly image?: string;
}

function createObserver(count: number, report: (progress: Progress) => void, signal: AbortSignal): BuildObserver {
  let now = { title: '', number: 0, count };
  return {
    signal,
    onStep: (title) => {
      now = { title, number: now.number + 1, count };
      report(now);
    },
    onText: (text) => {
      for (const line of text.split('\n')) if (line !== '') report({ ...now, line });
    },
    onOmitted: ({ message }) => report({ ...now, omitted: message }),
  };
}

async function describeBuild(
  { spec, output, image }: BuildRequest,
  platform: Platform,
  { folder, go, hasWebInterface }: BuiltProgram,
): Promise<BuildReport> {
  const program = join(folder, spec.proxy.name);
  return {
    action: 'built',
    proxy: spec.proxy.name,
    version: spec.version,
    guard: spec.guard,
    modules: spec.modules,
    webInterface: hasWebInterface,
    go,
    ...platform,
    sha256: await sha256Of(program),
    bytes: statSync(program).size,
    ...(output !== undefined && { output, licenses: licensesPath(output) }),
    ...(image !== undefined && { image }),
  };
}

/** Builds a program, an image, or both. An image is for the platform of the container runtime. @throws GuardError */
export async function build(
  request: BuildRequest,
  report: (progress: Progress) => void,
  context: Context,
): Promise<BuildReport> {
  const { spec, output, image } = request;
  const { env, signal } = context;
  if (output !== undefined) checkOutput(output);
  const containers = image === undefined ? undefined : await connect(env, diskFiles, open, signal);
  const platform = containers ? { os: 'linux', arch: containers.runtime.architecture } : request.platform;
  const observer = createObserver(titlesOf(spec).length + (containers ? 1 : 0), report, signal);
  return makeProgram(spec, platform, observer, async (program) => {
    const { folder } = program;
    if (output !== undefined) placeProgram(folder, spec.proxy.name, output);
    if (containers && image !== undefined) {
      observer.onStep(`building the image ${image}`);
      const context = buildContext(spec, folder, env);
      await containers.build({ tag: image, arguments: {}, context }, observer.onText, signal);
    }
    return describeBuild(request, platform, program);
  });
}
