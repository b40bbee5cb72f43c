/**
 * The steps of a build as shell lines, for the command, its dry run and the Dockerfile. All run in one folder, which is
 * empty at first.
 */
import { buildArgs } from '../../artefacts/go.ts';
import { quote } from '../program/quote.ts';
import type { BuiltProxy } from './proxies.ts';

export type StepName = 'sources' | 'download' | 'main' | 'modules' | 'webui' | 'compile';

export interface Step {
  readonly name: StepName;
  readonly title: string;
  /** Program that the lines need besides the shell. */
  readonly runs: 'shell' | 'go' | 'node';
  readonly lines: readonly string[];
}

export interface ProgramSpec {
  readonly proxy: BuiltProxy;
  /** Version of the proxy, such as `v3.7.10`. */
  readonly version: string;
  /** Further modules, each with its version: `example.com/module@v1.0.0`. */
  readonly modules: readonly string[];
  readonly hasWebInterface: boolean;
  /** Version of the guard. */
  readonly guard: string;
}

/** Licenses of the proxy, of the guard, and of all modules in the program. */
export const licensesFile = 'LICENSES.txt';

const moduleAt = ({ proxy, version }: ProgramSpec): string => quote(`${proxy.module.path}@${version}`);

export const modulePathOf = (module: string): string => module.slice(0, module.indexOf('@'));

const writeFileLine = (name: string, text: string): string =>
  `printf '%s\\n' ${text.trimEnd().split('\n').map(quote).join(' ')} > ${name}`;

/** Returns lines that copy the sources into the folder of the build. @param root folder of the package of guardcli */
function sourceLines({ proxy, modules, hasWebInterface }: ProgramSpec, root: string): readonly string[] {
  const { folders, omittedFiles, goSumFolder, webInterface } = proxy;
  return [
    ...Object.entries(folders).map(([from, to]) => `cp -R ${quote(`${root}/${from}`)} ${to}`),
    ...omittedFiles.map((file) => `rm -f ${file}`),
    `cp ${quote(`${root}/${goSumFolder}/go.sum`)} go.sum`,
    `cp ${quote(`${root}/LICENSE`)} LICENSE`,
    'chmod -R u+w .',
    writeFileLine('guard.go', proxy.register(modules.map(modulePathOf))),
    ...(hasWebInterface && webInterface ? [writeFileLine('webui.go', webInterface)] : []),
  ];
}

/**
 * Older versions of Traefik's module lack `webui/static`, which the module embeds. Go then reads a copy of the module
 * in which that folder has one empty file.
 */
const missingFolderLines = (module: string): readonly string[] => [
  `[ -d "$dir/webui/static" ] || { cp -R "$dir" proxy; chmod -R u+w proxy; mkdir proxy/webui/static; touch proxy/webui/static/empty; go mod edit ${quote(`-replace=${module}=./proxy`)}; }`,
];

/**
 * Returns lines that copy the main package of the proxy, its license and its go.mod. Go would ignore `replace` and
 * `exclude` in the go.mod of a required module.
 */
function mainPackageLines(spec: ProgramSpec): readonly string[] {
  const { proxy, version, guard, hasWebInterface } = spec;
  const [module = ''] = Object.keys(proxy.replacements);
  const edits = [
    `-require=${proxy.module.path}@${version}`,
    `-require=${module}@v${guard}`,
    ...Object.entries(proxy.replacements).map(([path, folder]) => `-replace=${path}=${folder}`),
  ];
  return [
    `dir=$(go list -m -f '{{.Dir}}' ${moduleAt(spec)})`,
    `cp "$dir"/${proxy.module.main}/*.go .`,
    'rm -f ./*_test.go',
    `{ echo ${quote(`${proxy.title} ${version}`)}; echo; cat "$dir/${proxy.module.license}"; } > ${licensesFile}`,
    `{ echo; echo; echo ${quote(`request-guard ${guard}`)}; echo; cat LICENSE; } >> ${licensesFile}`,
    `sed 's,^module .*,module ${module}/build/${proxy.name},' "$dir/go.mod" > go.mod`,
    'cat "$dir/go.sum" >> go.sum',
    ...(hasWebInterface ? ['cp -R "$dir/webui" webui'] : []),
    `go mod edit ${edits.map(quote).join(' ')}`,
    ...(proxy.webInterface ? missingFolderLines(proxy.module.path) : []),
    'chmod -R u+w .',
  ];
}

const yarnCommand = 'node ../yarn/node_modules/@yarnpkg/cli-dist/bin/yarn.js';

/** Lines that build the web interface like Traefik does, but run no scripts of npm packages. */
const webInterfaceLines: readonly string[] = [
  'export YARN_ENABLE_SCRIPTS=0 YARN_ENABLE_TELEMETRY=0 VITE_APP_BASE_URL= VITE_APP_BASE_API_URL=/api',
  'cd webui',
  String.raw`version=$(sed -n 's/.*"packageManager": "yarn@\([0-9.]*\).*/\1/p' package.json)`,
  'npm install --prefix ../yarn --no-save --ignore-scripts --no-audit --no-fund "@yarnpkg/cli-dist@$version"',
  `${yarnCommand} install --immutable`,
  `${yarnCommand} vite build`,
  'cd ..',
  'mv webui/static static',
  'rm -rf webui yarn',
];

/** Removes what the steps before wrote for the web interface. */
export const withoutWebInterface: Pick<Step, 'runs' | 'lines'> = {
  runs: 'shell',
  lines: ['chmod -R u+w .', 'rm -rf webui yarn static webui.go'],
};

function compileLines({ proxy, version, guard }: ProgramSpec): readonly string[] {
  const flags = buildArgs({ tags: [], variables: proxy.variables(version, guard) }, proxy.name, 'mod');
  return [`go ${flags.map(quote).join(' ')}`, ...licenseLines];
}

const moduleTemplate = '{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}';

/** Lines that add the license files of Go and of each module in the program. Some distributions of Go have none. */
const licenseLines: readonly string[] = [
  `go list -mod=mod -deps -f ${quote(moduleTemplate)} . > modules.txt`,
  'echo "go $(go env GOVERSION) $(go env GOROOT)" >> modules.txt',
  `sort -u modules.txt | while read -r module version dir; do for file in "$dir"/LICEN[CS]E* "$dir"/[Ll]icen[cs]e* "$dir"/COPYING* "$dir"/UNLICENSE* "$dir"/NOTICE*; do if [ -f "$file" ]; then printf '\\n%s\\n\\n%s %s\\n\\n' ${'-'.repeat(80)} "$module" "$version"; cat "$file"; fi; done; done >> ${licensesFile}`,
];

/**
 * Returns lines that add the modules. `go get` gets the version of the proxy, too. Go then refuses modules that need
 * another version of the proxy.
 */
const moduleLines = (spec: ProgramSpec): readonly string[] => [
  `go get ${[moduleAt(spec), ...spec.modules.map(quote)].join(' ')}`,
];

/** Returns the steps of a build. @param root folder of the package of guardcli */
export function stepsOf(spec: ProgramSpec, root: string): readonly Step[] {
  const { proxy, version, modules, hasWebInterface } = spec;
  const { title } = proxy;
  const steps: Step[] = [
    { name: 'sources', title: 'copying the guard', runs: 'shell', lines: sourceLines(spec, root) },
    {
      name: 'download',
      title: `downloading ${title} ${version}`,
      runs: 'go',
      lines: [`go mod download ${moduleAt(spec)}`],
    },
    { name: 'main', title: `copying the main package of ${title}`, runs: 'go', lines: mainPackageLines(spec) },
  ];
  if (modules.length > 0)
    steps.push({ name: 'modules', title: `adding ${modules.join(' ')}`, runs: 'go', lines: moduleLines(spec) });
  if (hasWebInterface)
    steps.push({ name: 'webui', title: 'building the web interface', runs: 'node', lines: webInterfaceLines });
  return [
    ...steps,
    { name: 'compile', title: `compiling ${title} (minutes the first time)`, runs: 'go', lines: compileLines(spec) },
  ];
}
