/** The command line: from arguments to a command or to the program help, and to an exit status. */
import type { Command as Parser } from 'commander';
import { CleanupError, exitCodeOf, exitCodes, UsageError } from '../../platform/errors.ts';
import { commands } from '../commands/index.ts';
import { joinOptionalValues } from './arguments.ts';
import { type AnyCommand, type CommandRow, present } from './command.ts';
import type { Context } from './context.ts';
import { examplesText, programHelp } from './help.ts';
import { colored, hasColor, paintFor } from './paint.ts';
import { errorJson, errorText } from './report.ts';

/** Imported late: the program help works without the parser, which takes a third of the start-up time. */
type Commander = typeof import('commander');

/** A parser that prints only requested help. */
function createParser({ Command }: Commander, name: string, { stdout, env }: Context): Parser {
  return new Command(name)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ styleTitle: (text) => colored('bold', text) })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      outputError: () => {}, // errors are thrown and printed by the caller
      getOutHelpWidth: () => stdout.columns ?? 80,
      getOutHasColors: () => hasColor(stdout, env),
    });
}

function createCommand(commander: Commander, row: CommandRow, command: AnyCommand, context: Context): Parser {
  return command
    .configure(createParser(commander, `guardcli ${row.name}`, context))
    .description(command.description ? `${row.summary}\n\n${command.description}` : row.summary)
    .option('--json', 'print one JSON document')
    .addHelpText('after', () => examplesText(command.examples, paintFor(context.stdout, context.env)));
}

/** Option names in the camelCase of commander. */
const camelCased = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Arguments and options of a parsed command line as one object with camelCase names. */
function optionsOf(parser: Parser): Record<string, unknown> {
  const options: Record<string, unknown> = { ...parser.opts() };
  for (const [index, argument] of parser.registeredArguments.entries()) {
    const name = camelCased(argument.name());
    const value = parser.processedArgs[index];
    if (value === undefined) continue;
    if (options[name] !== undefined) {
      throw new UsageError(`the ${name} is given twice`, { code: 'conflict', hint: `remove one, or --${name}` });
    }
    options[name] = value;
  }
  return options;
}

/** Converts a parser error: `error: x\n(Did you mean y?)` contains message and hint. */
function usageError(error: InstanceType<Commander['CommanderError']>, parser: Parser): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const meant = /^\(Did you mean (.*)\?\)$/.exec(suggestion ?? '')?.[1];
  const code = error.code.replace('commander.', '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const hint = meant === undefined ? `${parser.name()} --help lists all options` : `did you mean "${meant}"?`;
  return new UsageError(message, { code, hint });
}

function parse({ CommanderError }: Commander, parser: Parser, argv: readonly string[]): 'parsed' | 'helped' {
  try {
    parser.parse(argv, { from: 'user' });
    return 'parsed';
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'helped';
    throw usageError(error, parser);
  }
}

/** Runs the command of `row` with the arguments after its name. */
async function runCommand(row: CommandRow, argv: readonly string[], context: Context): Promise<number> {
  const [commander, command] = await Promise.all([import('commander'), row.load()]);
  const parser = createCommand(commander, row, command, context);
  if (parse(commander, parser, joinOptionalValues(argv, parser)) === 'helped') return exitCodes.done;
  const { json, ...options } = optionsOf(parser);
  return present(command, options as never, json === true, context);
}

/** Aliases: `help x` is `x --help`, `--version` is the command of that name. */
function canonical(argv: readonly string[], table: readonly CommandRow[]): readonly string[] {
  const [first, second, ...rest] = argv;
  if (first === '--version' || first === '-V') return ['version', ...argv.slice(1)];
  if (first !== 'help') return argv;
  if (second === undefined) return ['--help'];
  return table.some(({ name }) => name === second) ? [second, '--help', ...rest] : [second];
}

async function unknown(word: string, table: readonly CommandRow[]): Promise<UsageError> {
  const { didYouMean } = await import('../../contract/values/nearest.ts');
  const kind = word.startsWith('-') ? 'option' : 'command';
  const known = kind === 'option' ? ['--help', '--version'] : table.map(({ name }) => name);
  const hint = didYouMean(word, known) ?? 'guardcli --help lists the commands';
  return new UsageError(`unknown ${kind} '${word}'`, { code: `unknown_${kind}`, hint });
}

async function run(rawArgv: readonly string[], context: Context, table: readonly CommandRow[]): Promise<number> {
  const argv = canonical(rawArgv, table);
  const [first] = argv;
  const row = table.find(({ name }) => name === first);
  if (row) return runCommand(row, argv.slice(1), context);
  const isAsked = first === '--help' || first === '-h';
  if (first !== undefined && !isAsked) throw await unknown(first, table);
  const terminal = isAsked ? context.stdout : context.stderr;
  terminal.write(programHelp(table, terminal, paintFor(terminal, context.env)));
  return isAsked ? exitCodes.done : exitCodes.usage;
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

/** Runs one command line and returns its exit status. Prints errors and never throws. */
export async function runCommandLine(
  argv: readonly string[],
  context: Context,
  table: readonly CommandRow[] = commands,
): Promise<number> {
  try {
    return await run(argv, context, table);
  } catch (error) {
    // A command that was interrupted throws the reason of its signal, which is not an error. A failed cleanup is one.
    if (context.signal.aborted && !(error instanceof CleanupError)) return exitCodes.done;
    const { stderr, env } = context;
    stderr.write(`${wantsJson(argv) ? errorJson(error) : errorText(error, paintFor(stderr, env))}\n`);
    return exitCodeOf(error);
  }
}
