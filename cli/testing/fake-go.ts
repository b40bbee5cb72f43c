/** A machine with a `go` that downloads and compiles nothing. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Captured, runCaptured } from './captured.ts';
import { scratch } from './scratch.ts';

/** Shell lines that the fake `go` runs for `go mod download`, `go get` and `go build`. */
export interface FakeGo {
  readonly download?: string;
  readonly get?: string;
  readonly compile?: string;
}

const goScript = (module: string, { download = ':', get = ':', compile = ': > "$name"' }: FakeGo): string => `#!/bin/sh
for name in "$@"; do case $name in -o=*) name=\${name#-o=}; break;; esac; done
echo "$PWD $*" >> ${module}/calls
case "$1 $2" in
  'env GOVERSION') echo go1.26.8 ;;
  'mod download') ${download} ;;
  'list -m') echo ${module} ;;
  'mod edit') : ;;
  'list -mod=mod') echo example.com/dep v1.2.3 ${module} ;;
  'get '*) ${get} ;;
  'build '*) ${compile} ;;
esac
`;

export interface Machine {
  readonly temporary: string;
  readonly cwd: string;
  readonly calls: () => string[];
}

const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin'].filter((folder) => !existsSync(join(folder, 'go')));

/** Sets variables of this process, and restores them when the test ends. */
export function setVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

const moduleFiles: Readonly<Record<string, string>> = {
  'LICENSE.md': 'license of Traefik\n',
  LICENSE: 'license of Caddy\n',
  'go.mod': 'module example.com/proxy\n',
  'go.sum': '',
};

/** Puts the fake `go` into PATH, where this process finds it until the test ends. */
export function machine(t: TestContext, go: FakeGo = {}): Machine {
  const [module, bin, temporary, cwd] = [scratch(moduleFiles), scratch(), scratch(), scratch()];
  for (const name of ['traefik', 'caddy']) {
    mkdirSync(join(module, 'cmd', name), { recursive: true });
    writeFileSync(join(module, 'cmd', name, 'main.go'), 'package main');
    writeFileSync(join(module, 'cmd', name, 'main_test.go'), 'package main');
  }
  mkdirSync(join(module, 'webui'));
  writeFileSync(join(module, 'webui/package.json'), '{"packageManager": "yarn@4.13.0"}');
  writeFileSync(join(bin, 'go'), goScript(module, go));
  chmodSync(join(bin, 'go'), 0o755);
  setVariables(t, { PATH: [bin, ...systemFolders].join(delimiter), TMPDIR: temporary });
  const calls = (): string[] => readFileSync(join(module, 'calls'), 'utf8').trim().split('\n');
  return { temporary, cwd, calls };
}

export const build = (cwd: string, ...argv: string[]): Promise<Captured> => runCaptured(['build', ...argv], { cwd });
