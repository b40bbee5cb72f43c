#!/usr/bin/env node
/**
 * tcp-guard: the layer-4 daemon. This build checks configurations: `--check` says what a daemon of this version would
 * refuse. Status 0: valid; 1: not valid; 2: usage.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadDaemon, type Problem } from '../contract/load/index.ts';

const usage = `Usage: tcp-guard --check [-c tcp-guard.yaml]
       tcp-guard --version

  -c, --config <file>  the configuration (default: tcp-guard.yaml)
      --check          say whether the configuration is valid, and end
      --version        show the version, and end
      --help           show this help, and end

This build has no data plane: it does not listen.
`;

const options = {
  config: { type: 'string', short: 'c', default: 'tcp-guard.yaml' },
  check: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** From dist/daemon and from the bundle in dist/bin alike. */
const packageFile = join(import.meta.dirname, '../../package.json');

const version = (): string => JSON.parse(readFileSync(packageFile, 'utf8')).version;

function fail(message: string, status: number): void {
  process.stderr.write(`tcp-guard: ${message}\n`);
  process.exitCode = status;
}

const problemLine = (name: string, { line, column, path, message, hint }: Problem): string =>
  `${name}:${line}:${column}: ${path ? `${path}: ` : ''}${message}${hint ? `\n  ${hint}` : ''}\n`;

function readConfiguration(name: string): Uint8Array | undefined {
  try {
    return readFileSync(name);
  } catch (error) {
    fail((error as Error).message, 2);
    return undefined;
  }
}

function check(name: string): void {
  const bytes = readConfiguration(name);
  if (!bytes) return;
  const loaded = loadDaemon(bytes, name, process.env);
  if (loaded.ok) process.stdout.write(`${name}: schema passed\n`);
  else {
    process.stderr.write(loaded.problems.map((problem) => problemLine(name, problem)).join(''));
    process.exitCode = 1;
  }
}

function run(args: readonly string[]): void {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) process.stdout.write(usage);
  else if (values.version) process.stdout.write(`${version()}\n`);
  else if (values.check) check(values.config);
  else fail('this build checks configurations only; use --check', 2);
}

function main(args: readonly string[]): void {
  try {
    run(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // parseArgs says what is wrong with the options
    fail(`${error.message}; see tcp-guard --help`, 2);
  }
}

main(process.argv.slice(2));
