import { resolve } from 'node:path';
import { packageVersion } from '../../platform/assets.ts';
import { UsageError } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import type { BuildReport, Progress } from '../build/build.ts';
import { type BuiltProxy, builtProxies } from '../build/proxies.ts';
import { versionFrom } from '../build/run.ts';
import type { ProgramSpec } from '../build/steps.ts';
import { collectValues } from '../evaluate/options.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { stepsOf } from '../program/steps.ts';
import { proxyNamed } from '../targets/find.ts';

/** Go's names of systems and processors for which Node has another name. */
const goNames: Readonly<Record<string, string>> = { win32: 'windows', ia32: '386', ppc64: 'ppc64le', x64: 'amd64' };
const goName = (name: string): string => goNames[name] ?? name;

interface Options {
  readonly proxy: BuiltProxy;
  readonly version?: string;
  readonly with?: readonly string[];
  readonly output?: string;
  readonly image?: string;
  readonly goos?: string;
  readonly goarch?: string;
  readonly withoutWebui?: true;
  readonly dryRun?: boolean;
  readonly dockerfile?: boolean;
}

export interface Printed {
  readonly action: 'printed';
  readonly text: string;
}

export type BuildResult = BuildReport | Printed;

const conflicts = [
  ['image', 'goos', 'an image is for the platform of the container runtime'],
  ['image', 'goarch', 'an image is for the platform of the container runtime'],
  ['image', 'dryRun', 'use --dockerfile for an image'],
  ['dockerfile', 'output', 'the text goes to standard output'],
  ['dockerfile', 'image', 'name the image with docker build --tag'],
  ['dockerfile', 'dryRun', 'each prints something else'],
  ['dockerfile', 'goos', 'choose the platform with docker build --platform'],
  ['dockerfile', 'goarch', 'choose the platform with docker build --platform'],
] as const;

const builtNamed = (word: string): BuiltProxy | undefined =>
  builtProxies.find(({ name }) => name === proxyNamed(word)?.name);

const proxyChoices = builtProxies.flatMap(({ name }) => [name, proxyNamed(name)?.neutral ?? []].flat());

function proxyFrom(word: string): BuiltProxy {
  const proxy = builtNamed(word);
  if (proxy) return proxy;
  throw new UsageError(`${JSON.stringify(word)} cannot be built`, {
    code: 'unknown_proxy',
    hint: `choose one of ${proxyChoices.join(', ')}; nginx loads the guard from its files`,
  });
}

const optionName = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function refuseConflicts(options: Options): void {
  for (const [first, second, hint] of conflicts) {
    if (options[first] === undefined || options[second] === undefined) continue;
    const message = `${optionName(first)} and ${optionName(second)} are mutually exclusive`;
    throw new UsageError(message, { code: 'conflict', hint });
  }
}

/** Matches a module path with a version, such as `github.com/mholt/caddy-l4@v0.1.0`. */
const moduleWithVersion = /^[a-z0-9][\w.~-]*(?:\/[\w.~-]+)*@[\w.+~/-]+$/i;

function modulesFrom(words: readonly string[], { title, refusesModules }: BuiltProxy): readonly string[] {
  if (words.length > 0 && refusesModules !== undefined)
    throw new UsageError(`${title} takes no --with`, { code: 'no_modules', hint: refusesModules });
  for (const word of words) {
    if (moduleWithVersion.test(word)) continue;
    throw new UsageError(`--with is ${JSON.stringify(word)}`, {
      code: 'bad_module',
      hint: 'pass a module with its version, such as github.com/mholt/caddy-l4@v0.1.0',
    });
  }
  return words;
}

function specOf(options: Options): ProgramSpec {
  const { proxy, version = options.proxy.module.pinned, with: modules = [], withoutWebui = false } = options;
  if (withoutWebui && proxy.webInterface === undefined)
    throw new UsageError(`${proxy.title} has no web interface`, { code: 'no_webui', hint: 'omit --without-webui' });
  return {
    proxy,
    version: versionFrom(version, proxy),
    modules: modulesFrom(modules, proxy),
    hasWebInterface: proxy.webInterface !== undefined && !withoutWebui,
    guard: packageVersion(),
  };
}

async function run(options: Options, report: (progress: Progress) => void, context: Context): Promise<BuildResult> {
  refuseConflicts(options);
  const spec = specOf(options);
  const { image, goos, goarch, dryRun, dockerfile } = options;
  const platform = {
    os: goos ?? goName(process.platform),
    arch: goarch ?? goName(process.arch),
  };
  const output = resolve(context.cwd, options.output ?? spec.proxy.name);
  if (dryRun || dockerfile) {
    const { dockerfileText, scriptText } = await import('../build/printed.ts');
    const text = dockerfile ? dockerfileText(spec, context.env) : scriptText(spec, platform, output);
    return { action: 'printed', text };
  }
  const { build } = await import('../build/build.ts');
  const isImageOnly = image !== undefined && options.output === undefined;
  const request = { spec, platform, ...(!isImageOnly && { output }), ...(image !== undefined && { image }) };
  return build(request, report, context);
}

const megabytesText = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function builtText({ version, proxy, guard, output, image, licenses, os, arch, sha256, bytes }: BuildReport): string {
  const rows = [
    ['program', output],
    ['image', image],
    ['licenses', licenses],
    ['platform', `${os}/${arch}, ${megabytesText(bytes)}`],
    ['sha256', sha256],
  ].filter(([, value]) => value !== undefined);
  return [
    `${builtNamed(proxy)?.title} ${version} with request-guard ${guard}`,
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(8)}  ${readable(value)}`),
  ].join('\n');
}

const omittedText = (reason: string): string =>
  `warning: ${reason}: npm cannot get its packages, or they do not build. It is built without it, as with --without-webui`;

const nextInstructions = ({ proxy, output }: BuildReport): readonly string[] =>
  output === undefined ? [] : (builtNamed(proxy)?.next ?? []);

export const definition = command<Options, BuildResult, Progress>({
  description:
    'Downloads the proxy and compiles it with the guard in it, with Go of this machine or in a container. The ' +
    'configuration does not change: that of Traefik names the guard as a local plugin.\n\n' +
    'The same versions make the same bytes on each machine with the same Go.',
  examples: [
    { line: 'guardcli build traefik', note: 'make ./traefik' },
    { line: 'guardcli build caddy --with github.com/mholt/caddy-l4@v0.1.0', note: 'with a further module' },
    { line: 'guardcli build traefik --image example/traefik', note: 'an image from that of Traefik' },
    { line: 'guardcli build traefik --dockerfile > Dockerfile', note: 'to build the image elsewhere' },
  ],
  configure: (parser) =>
    parser
      .addArgument(parser.createArgument('<proxy>', 'what to build').choices(proxyChoices).argParser(proxyFrom))
      .option('--version <version>', 'version of the proxy (default: the one that is tested)')
      .option('--with <module@version>', 'a further module of Caddy; may be repeated', collectValues)
      .option('-o, --output <file>', 'where to write the program (default: the name of the proxy)')
      .option('--image <name>', 'make an image, from the published one of the proxy')
      .option('--goos <name>', 'operating system of the program (default: that of this machine)')
      .option('--goarch <name>', 'processor of the program (default: that of this machine)')
      .option('--without-webui', 'build Traefik without its web interface')
      .option('--dry-run', 'print the commands; build nothing')
      .option('--dockerfile', 'print a Dockerfile that makes the image'),
  run: (options, context) => stepsOf<Progress, BuildResult>((report) => run(options, report, context)),
  text: (result) => (result.action === 'printed' ? result.text : builtText(result)),
  notes: (result, paint) =>
    result.action === 'printed'
      ? ''
      : nextInstructions(result)
          .map((line) => `${paint('yellow', 'note:')} ${line}`)
          .join('\n'),
  lines: ({ title, number, count, line, omitted }) => {
    if (omitted !== undefined) return { stderr: omittedText(omitted) };
    return line === undefined ? { stderr: `[${number}/${count}] ${title}` } : {};
  },
});
