import type { Command as Parser } from 'commander';
import { CleanupError, exitCodeOf, exitCodes, UsageError } from '../../platform/errors.ts';
import { joinOptionalValues } from './arguments.ts';
import { type AnyCommand, type CommandGroup, type CommandRow, type Example, runAndPrint } from './command.ts';
import type { Context, Terminal } from './context.ts';
import { examplesText, groupHelp, programHelp } from './help.ts';
import { coloredPaint, hasColor, type Paint, paintFor } from './paint.ts';
import { errorJson, errorText, explainedError } from './report.ts';
import { isInteractive } from './terminal.ts';

/**
 * Imported late, because the import takes a third of the start-up time, and the help of the program does not need it.
 */
type Commander = typeof import('commander');

/** Help lists at most this many choices of an argument. Longer lists are only for completion. */
const listedChoices = 30;

/** Creates a parser. It prints requested help only, and throws errors. */
function createParser({ Command, Help }: Commander, name: string, { stdout, env }: Context): Parser {
  return new Command(name)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({
      styleTitle: (text) => coloredPaint('bold', text),
      argumentDescription: (argument) =>
        (argument.argChoices?.length ?? 0) > listedChoices
          ? argument.description
          : new Help().argumentDescription(argument),
    })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      outputError: () => {}, // errors are thrown and printed by the caller
      getOutHelpWidth: () => stdout.columns ?? 80,
      getOutHasColors: () => hasColor(stdout, env),
    });
}

/** `name` includes the words before it: `guardcli dashboard report`. */
interface ChosenCommand {
  readonly name: string;
  readonly summary: string;
}

function createCommand(
  commander: Commander,
  { name, summary }: ChosenCommand,
  command: AnyCommand,
  context: Context,
): Parser {
  return command
    .configure(createParser(commander, name, context))
    .description(command.description ? `${summary}\n\n${command.description}` : summary)
    .option('--json', 'print one JSON document')
    .addHelpText('after', () => examplesText(command.examples, paintFor(context.stdout, context.env)));
}

const camelCased = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Arguments and options by camelCase name. */
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
function usageError(error: InstanceType<Commander['CommanderError']>, parser: Parser, example?: Example): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const suggestedWord = /^\(Did you mean (.*)\?\)$/.exec(suggestion ?? '')?.[1];
  const code = error.code.replace('commander.', '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const isForm = code === 'excess_arguments' || code === 'missing_argument';
  const form = isForm && example ? `write it like ${example.line}; ` : '';
  const help = `${form}${parser.name()} --help lists all options`;
  const hint = suggestedWord === undefined ? help : `did you mean "${suggestedWord}"?`;
  return new UsageError(message, { code, hint });
}

function parseArguments(
  { CommanderError }: Commander,
  parser: Parser,
  argv: readonly string[],
  example?: Example,
): 'parsed' | 'helped' {
  try {
    parser.parse(argv, { from: 'user' });
    return 'parsed';
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'helped';
    throw usageError(error, parser, example);
  }
}

async function runCommand(
  commander: Commander,
  chosen: ChosenCommand,
  command: AnyCommand,
  argv: readonly string[],
  context: Context,
): Promise<number> {
  const parser = createCommand(commander, chosen, command, context);
  const [example] = command.examples;
  if (parseArguments(commander, parser, joinOptionalValues(argv, parser), example) === 'helped') return exitCodes.done;
  const { json, ...options } = optionsOf(parser);
  return runAndPrint(command, options as never, json === true, context);
}

/** Commands of the program, or of a group. */
interface Menu {
  readonly name: string;
  readonly rows: readonly CommandRow[];
  readonly options: readonly string[];
  /** Name of the row that runs when the first word is missing, or an option other than `--help`. */
  readonly usual?: string | undefined;
  readonly help: (terminal: Terminal, paint: Paint) => string;
}

const programMenu = (rows: readonly CommandRow[]): Menu => ({
  name: 'guardcli',
  rows,
  options: ['--help', '--version'],
  help: (terminal, paint) => programHelp(rows, terminal, paint),
});

const groupMenu = (chosen: ChosenCommand, group: CommandGroup): Menu => ({
  name: chosen.name,
  rows: group.subcommands,
  options: ['--help'],
  usual: group.usual,
  help: (terminal, paint) => groupHelp(chosen, group, terminal, paint),
});

const defaultCommand = 'ui';

/** Rewrites aliases: `help x` becomes `x --help`, `--version` becomes the command `version`. */
function canonicalArguments(argv: readonly string[], table: readonly CommandRow[]): readonly string[] {
  const [first, second, ...rest] = argv;
  if (first === '--version' || first === '-V') return ['version', ...argv.slice(1)];
  if (first !== 'help') return argv;
  if (second === undefined) return ['--help'];
  return table.some(({ name }) => name === second) ? [second, ...rest, '--help'] : [second];
}

const wordsOf = ({ name, aliases = [] }: CommandRow): readonly string[] => [name, ...aliases];

/** Returns the arguments, or the command of the workbench when there are none and a user can interact. */
function withDefaultCommand(
  argv: readonly string[],
  table: readonly CommandRow[],
  context: Context,
): readonly string[] {
  const isDefault = argv.length === 0 && table.some(({ name }) => name === defaultCommand) && isInteractive(context);
  return isDefault ? [defaultCommand] : argv;
}

/**
 * Returns a hint when a group has a subcommand of this name: `did you mean "dashboard report"?` for `report`. Otherwise
 * returns undefined.
 */
async function findSubcommandHint(word: string, rows: readonly CommandRow[]): Promise<string | undefined> {
  for (const { name, load } of rows.filter(({ isGroup }) => isGroup)) {
    const command = await load();
    if ('subcommands' in command && command.subcommands.some((row) => wordsOf(row).includes(word)))
      return `did you mean "${name} ${word}"?`;
  }
  return undefined;
}

async function unknownError(word: string, { name, rows, options }: Menu): Promise<UsageError> {
  const { didYouMean } = await import('../../contract/values/nearest.ts');
  const kind = word.startsWith('-') ? 'option' : 'command';
  const validWords = kind === 'option' ? options : rows.flatMap(wordsOf);
  const hint =
    (await findSubcommandHint(word, rows)) ?? didYouMean(word, validWords) ?? `${name} --help lists the commands`;
  return new UsageError(`unknown ${kind} '${word}'`, { code: `unknown_${kind}`, hint });
}

/** Moves a subcommand to the front of the options before it. Without one, the usual subcommand comes first. */
function withSubcommandFirst(usual: string, rows: readonly CommandRow[], argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word) => rows.some((row) => wordsOf(row).includes(word)));
  return at < 0 ? [usual, ...argv] : [argv[at] as string, ...argv.toSpliced(at, 1)];
}

async function runChosen(menu: Menu, argv: readonly string[], context: Context): Promise<number> {
  const [first, ...rest] = argv;
  const isHelp = first === '--help' || first === '-h';
  if (menu.usual !== undefined && !isHelp && (first === undefined || first.startsWith('-')))
    return runChosen(menu, withSubcommandFirst(menu.usual, menu.rows, argv), context);
  const row = menu.rows.find((one) => first !== undefined && wordsOf(one).includes(first));
  if (row?.subcommands?.some(({ name }) => name === rest[0]))
    return runChosen({ ...menu, name: `${menu.name} ${row.name}`, rows: row.subcommands }, rest, context);
  if (row) {
    const [commander, command] = await Promise.all([import('commander'), row.load()]);
    const chosen = { name: `${menu.name} ${row.name}`, summary: row.summary };
    if ('subcommands' in command) return runChosen(groupMenu(chosen, command), rest, context);
    return runCommand(commander, chosen, command, rest, context);
  }
  if (first !== undefined && !isHelp) throw await unknownError(first, menu);
  const terminal = isHelp ? context.stdout : context.stderr;
  terminal.write(menu.help(terminal, paintFor(terminal, context.env)));
  return isHelp ? exitCodes.done : exitCodes.usage;
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

/** Runs one command line and returns its exit status. Prints errors and never throws. */
export async function runCommandLine(
  argv: readonly string[],
  context: Context,
  table: readonly CommandRow[],
): Promise<number> {
  try {
    return await runChosen(
      programMenu(table),
      withDefaultCommand(canonicalArguments(argv, table), table, context),
      context,
    );
  } catch (thrown) {
    const error = explainedError(thrown);
    // An interrupted command throws the reason of its signal, which is not an error.
    if (context.signal.aborted && !(error instanceof CleanupError)) return exitCodes.done;
    const { stderr, env } = context;
    stderr.write(`${wantsJson(argv) ? errorJson(error) : errorText(error, paintFor(stderr, env))}\n`);
    return exitCodeOf(error);
  }
}
