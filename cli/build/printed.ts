/** A build as text: a shell script that does the same, and a Dockerfile for other machines. */

import { environmentFor, type Platform } from '../../artefacts/go.ts';
import { isPublished, packageRoot, packedFile } from '../../platform/assets.ts';
import { publicImage } from '../../sandbox-images/bases.ts';
import { quote } from '../program/quote.ts';
import { baseOf, copyLines } from './image.ts';
import { licensesPath } from './output.ts';
import { licensesFile, type ProgramSpec, type Step, stepsOf } from './steps.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const titleOf = ({ proxy, version, guard }: ProgramSpec): string =>
  `${proxy.title} ${version} with request-guard ${guard}`;

/** Returns the script of `--dry-run`. */
export function scriptText(spec: ProgramSpec, platform: Platform, output: string): string {
  const variables = Object.entries(environmentFor(platform)).map(([name, value]) => `${name}=${value}`);
  const steps = stepsOf(spec, packageRoot).flatMap(({ title, lines }) => ['', `# ${title}`, ...lines]);
  return [
    '#!/bin/sh',
    `# Makes ${titleOf(spec)}.`,
    'set -e',
    'folder=$(mktemp -d)',
    'trap \'rm -rf "$folder"\' EXIT',
    'cd "$folder"',
    `export ${variables.join(' ')}`,
    ...steps,
    '',
    '# the result',
    `mv ${licensesFile} ${quote(licensesPath(output))}`,
    `mv ${spec.proxy.name} ${quote(output)}`,
  ].join('\n');
}

const installedFolder = '/usr/local/lib/node_modules/request-guard';

const runLine = (lines: readonly string[]): string => `RUN ${lines.join(' \\\n && ')}`;

function stageText(name: string, from: string, lines: readonly string[]): string {
  return [`FROM ${from} AS ${name}`, ...lines].join('\n');
}

/**
 * Returns Dockerfile lines that install the sources of the guard from npm. Before the first release, npm has no
 * package, and the lines install a packed file beside the Dockerfile.
 */
export function packageLines({ guard }: Pick<ProgramSpec, 'guard'>, isReleased = isPublished): readonly string[] {
  const install = 'RUN npm install --global --ignore-scripts';
  if (isReleased) return [`${install} request-guard@${guard}`];
  const note = `# npm has no release yet: run \`npm pack\` in a clone, and place ${packedFile()} beside this file.`;
  return [note, `COPY ${packedFile()} /`, `${install} /${packedFile()}`];
}

const commentedStep = ({ title, lines }: Step): readonly string[] => [`# ${title}`, runLine(lines)];

/** Returns the Dockerfile. The web interface needs Node, so its stage is between two stages with Go. */
export function dockerfileText(spec: ProgramSpec, env: Environment): string {
  const steps = stepsOf(spec, '/package');
  const [node, go] = [publicImage('node', env), publicImage('golang', env)];
  const { CGO_ENABLED = '', GOWORK = '' } = environmentFor({ os: '', arch: '' });
  const before = steps.filter(({ runs, name }) => runs !== 'node' && name !== 'compile');
  const webui = steps.filter(({ runs }) => runs === 'node');
  const compile = steps.filter(({ name }) => name === 'compile');
  const files = Object.entries(spec.proxy.image.files);
  return [
    `# ${titleOf(spec)}.`,
    stageText('package', node, packageLines(spec)),
    stageText('sources', go, [
      'WORKDIR /build',
      `ENV CGO_ENABLED=${CGO_ENABLED} GOWORK=${GOWORK}`,
      `COPY --from=package ${installedFolder} /package`,
      ...before.flatMap(commentedStep),
    ]),
    ...(webui.length === 0
      ? []
      : [
          stageText('webui', node, ['WORKDIR /build', 'COPY --from=sources /build .', ...webui.flatMap(commentedStep)]),
        ]),
    stageText('program', 'sources', [
      ...(webui.length === 0 ? [] : ['COPY --from=webui /build/static static']),
      ...compile.flatMap(commentedStep),
    ]),
    [
      `FROM ${baseOf(spec, env)}`,
      ...copyLines(spec, '--from=program /build/'),
      ...files.map(([to, from]) => `COPY --from=package ${installedFolder}/${from} ${to}`),
    ].join('\n'),
  ].join('\n\n');
}
