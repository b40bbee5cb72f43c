/** From arguments to the exit status: finds the command, reads its options, runs it, prints its result. */
import { CommanderError, Command as Parser } from 'commander';
import { joinOptionalValues } from './arguments.ts';
import type { AnyCommand, CommandRow, Context, Example } from './command.ts';
import { exitCodes, UsageError } from './errors.ts';
import { present } from './output.ts';
import { coloured, hasColour, type Paint, paintFor } from './paint.ts';

const description = `One policy against path scanners, tried offline and against the real proxies.

A policy is a file, guard.json. Every command takes --json and explains itself with --help.`;

const topExamples: readonly Example[] = [
  { line: "guardcli test '/static/..%252f.env'", note: 'what the policy says about a path' },
  { line: 'guardcli validate guard.json', note: 'every mistake of a policy at once' },
  { line: 'guardcli generate caddy guard.json', note: 'the policy for a Caddyfile' },
  { line: 'guardcli sandbox caddy guard.json --test', note: 'proof in a real Caddy in a container' },
];

const exitNote = `Exit status: 0 done; 1 the answer is no (invalid file, failed probe or
expectation); 2 usage; 3 a tool or engine outside failed; 130 interrupted.`;

function examplesText(examples: readonly Example[], paint: Paint): string {
  const lines = examples.map(({ line, note }) => `  ${paint('dim', `# ${note}`)}\n  ${line}`);
  return `\n${paint('bold', 'Examples:')}\n${lines.join('\n')}`;
}

/** Colour for help: where it goes depends on whether it was asked for. */
function helpPaint({ error }: { error: boolean }, { stdout, stderr, env }: Context): Paint {
  return paintFor(error ? stderr : stdout, env);
}

/** Parsers that print nothing themselves but the help that was asked for. */
function createParser(name: string, context: Context): Parser {
  const { stdout, stderr, env } = context;
  return new Parser(name)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ styleTitle: (text) => coloured('bold', text) })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {}, // thrown, and printed with all other errors
      getOutHelpWidth: () => stdout.columns ?? 80,
      getErrHelpWidth: () => stderr.columns ?? 80,
      getOutHasColors: () => hasColour(stdout, env),
      getErrHasColors: () => hasColour(stderr, env),
    });
}

function createCommand({ name, summary }: CommandRow, command: AnyCommand, context: Context): Parser {
  return command
    .configure(createParser(`guardcli ${name}`, context))
    .description(command.description ? `${summary}\n\n${command.description}` : summary)
    .option('--json', 'print one JSON document')
    .addHelpText('after', (help) => examplesText(command.examples, helpPaint(help, context)));
}

/** Arguments and options of a parsed command line as one object, by their camelCase names. */
function optionsOf(parser: Parser): Record<string, unknown> {
  const options: Record<string, unknown> = { ...parser.opts() };
  for (const [index, argument] of parser.registeredArguments.entries()) {
    const name = argument.name();
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
  const hint = meant === undefined ? `${parser.name()} --help shows what there is` : `did you mean ${meant}?`;
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

function createProgram(table: readonly CommandRow[], context: Context): Parser {
  const program = createParser('guardcli', context)
    .usage('<command> [options]')
    .description(description)
    .option('-V, --version', 'show the version')
    .addHelpText('after', (help) => `${examplesText(topExamples, helpPaint(help, context))}\n\n${exitNote}`);
  for (const row of table) program.addCommand(new Parser(row.name).summary(row.summary));
  return program;
}

/** Spellings that stand for others: `help x` is `x --help`, `--version` the command of that name. */
function canonical(argv: readonly string[], table: readonly CommandRow[]): readonly string[] {
  const [first, second, ...rest] = argv;
  if (first === '--version' || first === '-V') return ['version', ...argv.slice(1)];
  if (first !== 'help') return argv;
  if (second === undefined) return ['--help'];
  return table.some(({ name }) => name === second) ? [second, '--help', ...rest] : [second];
}

async function runCommand(row: CommandRow, argv: readonly string[], context: Context): Promise<number> {
  const command = await row.load();
  const parser = createCommand(row, command, context);
  if (parse(parser, joinOptionalValues(argv, parser)) === 'helped') return exitCodes.done;
  const { json, ...options } = optionsOf(parser);
  return present(command, options as never, json === true, context);
}

/**
 * Runs one command line and returns its exit status.
 * @throws GuardError for everything that a user or another program did wrong
 */
export async function runProgram(
  rawArgv: readonly string[],
  context: Context,
  table: readonly CommandRow[],
): Promise<number> {
  const argv = canonical(rawArgv, table);
  const row = table.find(({ name }) => name === argv[0]);
  if (row) return runCommand(row, argv.slice(1), context);
  const program = createProgram(table, context);
  if (argv.length > 0) {
    parse(program, argv);
    return exitCodes.done;
  }
  program.outputHelp({ error: true });
  return exitCodes.usage;
}
