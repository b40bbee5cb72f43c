/** Checks command lines in the documentation without running them. guardcli parses those that name it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../cli/commands/index.ts';
import type { AnyCommand, CommandGroup, CommandRow } from '../../cli/program/command.ts';
import { runCaptured } from '../../cli/testing/captured.ts';
import { packageRoot } from '../../platform/assets.ts';

const token =
  /\\\n|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|;&()<>#])(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|;&()<>])*|[\n|;&()<>]|#.*/g;

const unquoted = (word: string): string => word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, '$1$2');

/** Returns the commands of a shell script as lists of words, without redirections. */
export function commandLines(script: string): string[][] {
  const lines: string[][] = [[]];
  let isFile = false;
  for (const [word] of script.matchAll(token)) {
    if (word === '\\\n' || word.startsWith('#')) continue;
    if (word === '<' || word === '>') {
      // skip redirections such as `2>&1` and `> file`
      const line = lines.at(-1) as string[];
      if (/^\d$/.test(line.at(-1) ?? '')) line.pop();
      isFile = true;
    } else if (isFile && word === '&') continue;
    else if (isFile && word !== '(') isFile = false;
    else if (/^[\n|;&()]$/.test(word)) {
      isFile = false;
      lines.push([]);
    } else lines.at(-1)?.push(unquoted(word));
  }
  // `NAME=value` before a command sets its environment and is not part of it.
  return lines
    .map((words) => words.slice(words.findIndex((word) => !/^\w+=/.test(word))))
    .filter(({ length }) => length > 0);
}

const withoutAction = (command: AnyCommand): AnyCommand => ({
  examples: command.examples,
  configure: command.configure,
  run: async () => ({}),
  text: () => '',
});

/** Returns the command table with actions that do nothing. */
const parsingTable = (rows: readonly CommandRow[]): CommandRow[] =>
  rows.map((row) => ({
    ...row,
    ...(row.subcommands && { subcommands: parsingTable(row.subcommands) }),
    load: async (): Promise<AnyCommand | CommandGroup> => {
      const loaded = await row.load();
      return 'subcommands' in loaded
        ? { ...loaded, subcommands: parsingTable(loaded.subcommands) }
        : withoutAction(loaded);
    },
  }));

async function guardcliErrors(args: readonly string[]): Promise<string> {
  if (args.length === 0) return ''; // without arguments, guardcli starts the workbench
  const { stderr } = await runCaptured(args, { table: parsingTable(commands) });
  return stderr;
}

const daemonUsage = readFileSync(join(packageRoot, 'daemon/app/main.ts'), 'utf8');

/**
 * Compares words with the usage text, because the parser of tcp-guard cannot be imported without starting the daemon.
 */
async function tcpGuardErrors(args: readonly string[]): Promise<string> {
  const unknown = args.filter(
    (arg, index) => args[index - 1] !== '-c' && !daemonUsage.includes(` ${arg} `) && !daemonUsage.includes(` ${arg},`),
  );
  return unknown.length > 0 ? `tcp-guard has no ${unknown.join(' ')}\n` : '';
}

const scriptsOfPackage = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).scripts as object;

async function npmErrors([verb, name = '']: readonly string[]): Promise<string> {
  const script = verb === 'run' ? name : verb === 'test' ? 'test' : undefined;
  return script === undefined || script in scriptsOfPackage ? '' : `package.json has no script ${script}\n`;
}

const parserErrors: Readonly<Record<string, (args: readonly string[]) => Promise<string>>> = {
  guardcli: guardcliErrors,
  './guardcli': guardcliErrors,
  'tcp-guard': tcpGuardErrors,
  './tcp-guard': tcpGuardErrors,
  npm: npmErrors,
};

/** Returns the parser errors for the command lines of a script. Empty when all are accepted. */
export async function refusals(script: string): Promise<string[]> {
  const found = commandLines(script).map(async ([program = '', ...args]) => {
    const message = (await parserErrors[program]?.(args)) ?? '';
    return message === '' ? [] : [`${[program, ...args].join(' ')}: ${message.trimEnd()}`];
  });
  return (await Promise.all(found)).flat();
}

/** Matches a command line in running text, such as `guardcli test /`. A line with placeholders is not checked. */
const inlineCommand = /`((?:guardcli|tcp-guard|npm run) [^`\n]+)`/g;

export const inlineCommands = (text: string): string[] =>
  Array.from(text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(inlineCommand), ([, line = '']) => line).filter(
    (line) => !/[<>[\]]|\.\.\.|…/.test(line),
  );
