/** The command line of one command: its options read, the command run, its result printed. */
import { CommanderError, Command as Parser } from 'commander';
import { exitCodes, UsageError } from '../../platform/errors.ts';
import { joinOptionalValues } from './arguments.ts';
import type { AnyCommand, CommandRow } from './command.ts';
import type { Context } from './context.ts';
import { examplesText } from './help.ts';
import { present } from './output.ts';
import { coloured, hasColour, paintFor } from './paint.ts';

/** A parser that prints nothing itself but the help that was asked for. */
function createParser(name: string, { stdout, env }: Context): Parser {
  return new Parser(name)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ styleTitle: (text) => coloured('bold', text) })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      outputError: () => {}, // thrown, and printed with all other errors
      getOutHelpWidth: () => stdout.columns ?? 80,
      getOutHasColors: () => hasColour(stdout, env),
    });
}

function createCommand({ name, summary }: CommandRow, command: AnyCommand, context: Context): Parser {
  return command
    .configure(createParser(`guardcli ${name}`, context))
    .description(command.description ? `${summary}\n\n${command.description}` : summary)
    .option('--json', 'print one JSON document')
    .addHelpText('after', () => examplesText(command.examples, paintFor(context.stdout, context.env)));
}

/** As commander names options. */
const camelCased = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Arguments and options of a parsed command line as one object, by their camelCase names. */
function optionsOf(parser: Parser): Record<string, unknown> {
  const options: Record<string, unknown> = { ...parser.opts() };
  for (const [index, argument] of parser.registeredArguments.entries()) {
    const name = camelCased(argument.name());
    const value = parser.processedArgs[index];
    if (value === undefined) continue;
    if (options[name] !== undefined) {
      throw new UsageError(`the ${name} is given twice`, { code: 'conflict', hint: `leave out one, or --${name}` });
    }
    options[name] = value;
  }
  return options;
}

/** A complaint of the parser as an error of ours: `error: x\n(Did you mean y?)` is message and hint in one. */
function usageError(error: CommanderError, parser: Parser): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const meant = /^\(Did you mean (.*)\?\)$/.exec(suggestion ?? '')?.[1];
  const code = error.code.replace('commander.', '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const hint = meant === undefined ? `${parser.name()} --help shows what there is` : `did you mean "${meant}"?`;
  return new UsageError(message, { code, hint });
}

function parse(parser: Parser, argv: readonly string[]): 'parsed' | 'helped' {
  try {
    parser.parse(argv, { from: 'user' });
    return 'parsed';
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'helped';
    throw usageError(error, parser);
  }
}

/**
 * Runs the command of `row` with the arguments behind its name, and returns the exit status.
 * @throws GuardError for everything that a user or another program did wrong
 */
export async function runCommand(row: CommandRow, argv: readonly string[], context: Context): Promise<number> {
  const command = await row.load();
  const parser = createCommand(row, command, context);
  if (parse(parser, joinOptionalValues(argv, parser)) === 'helped') return exitCodes.done;
  const { json, ...options } = optionsOf(parser);
  return present(command, options as never, json === true, context);
}
