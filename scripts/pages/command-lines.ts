/** Command lines of our programs in the documentation, parsed by the programs without running them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../cli/commands/index.ts';
import type { AnyCommand, CommandGroup, CommandRow } from '../../cli/program/command.ts';
import { runCaptured } from '../../cli/testing/captured.ts';
import { packageRoot } from '../../platform/assets.ts';

const token =
  /\\\n|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|;&()<>#])(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|;&()<>])*|[\n|;&()<>]|#.*/g;

const unquoted = (word: string): string => word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, '$1$2');

/** The simple commands of a shell script, as words. Redirections are left out. */
export function commandLines(script: string): string[][] {
  const lines: string[][] = [[]];
  let isFile = false;
  for (const [word] of script.matchAll(token)) {
    if (word === '\\\n' || word.startsWith('#')) continue;
    if (word === '<' || word === '>') {
      // `2>&1` and `> file`
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
  // NAME=value before a command is its environment.
  return lines
    .map((words) => words.slice(words.findIndex((word) => !/^\w+=/.test(word))))
    .filter(({ length }) => length > 0);
}

const idle = (command: AnyCommand): AnyCommand => ({
  examples: command.examples,
  configure: command.configure,
  run: async () => ({}),
  text: () => '',
});

/** The table of commands, with commands that do nothing. */
const parsing = (rows: readonly CommandRow[]): CommandRow[] =>
  rows.map((row) => ({
    ...row,
    load: async (): Promise<AnyCommand | CommandGroup> => {
      const loaded = await row.load();
      return 'subcommands' in loaded ? { ...loaded, subcommands: parsing(loaded.subcommands) } : idle(loaded);
    },
  }));

async function guardcli(args: readonly string[]): Promise<string> {
  if (args.length === 0) return ''; // the workbench
  const { stderr } = await runCaptured(args, { table: parsing(commands) });
  return stderr;
}

const daemonUsage = readFileSync(join(packageRoot, 'daemon/app/main.ts'), 'utf8');

/** Options and commands of tcp-guard are in its usage text; the daemon is a program without a parser to import. */
async function tcpGuard(args: readonly string[]): Promise<string> {
  const unknown = args.filter(
    (arg, index) => args[index - 1] !== '-c' && !daemonUsage.includes(`  ${arg}`) && !daemonUsage.includes(` ${arg},`),
  );
  return unknown.length > 0 ? `tcp-guard has no ${unknown.join(' ')}\n` : '';
}

const scriptsOfPackage = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).scripts as object;

async function npm([verb, name = '']: readonly string[]): Promise<string> {
  const script = verb === 'run' ? name : verb === 'test' ? 'test' : undefined;
  return script === undefined || script in scriptsOfPackage ? '' : `package.json has no script ${script}\n`;
}

const programs: Readonly<Record<string, (args: readonly string[]) => Promise<string>>> = {
  guardcli,
  './guardcli': guardcli,
  'tcp-guard': tcpGuard,
  './tcp-guard': tcpGuard,
  npm,
};

/** What our programs say against the command lines of a script. Empty: they accept each. */
export async function refusals(script: string): Promise<string[]> {
  const found = commandLines(script).map(async ([program = '', ...args]) => {
    const message = (await programs[program]?.(args)) ?? '';
    return message === '' ? [] : [`${[program, ...args].join(' ')}: ${message.trimEnd()}`];
  });
  return (await Promise.all(found)).flat();
}

/** Command lines of our programs in the text of a page, such as `guardcli test /`. Placeholders make one a form. */
const inline = /`((?:guardcli|tcp-guard|npm run) [^`\n]+)`/g;

export const inlineCommands = (text: string): string[] =>
  Array.from(text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(inline), ([, line = '']) => line).filter(
    (line) => !/[<>[\]]|\.\.\.|…/.test(line),
  );
