/**
 * Help of the program and of groups. Works without the parser, whose import takes a third of the start-up time.
 */
import type { CommandGroup, CommandRow, Example } from './command.ts';
import type { Terminal } from './context.ts';
import type { Paint } from './paint.ts';
import { table } from './table.ts';

const programDescription: readonly string[] = [
  'One policy against path scanners, tested offline and in the real proxies.',
  'A policy is a file, guard.json. Every command accepts --json and --help.',
];

type Term = readonly [term: string, meaning: string];

const helpOption: Term = ['-h, --help', 'show this help'];
const options: readonly Term[] = [['-V, --version', 'show the version'], helpOption];

const examples: readonly Example[] = [
  { line: "guardcli test '/static/..%252f.env'", note: 'the verdict on a path' },
  { line: 'guardcli validate guard.json', note: 'every problem of a policy at once' },
  { line: 'guardcli generate caddy guard.json', note: 'the policy for a Caddyfile' },
  { line: 'guardcli sandbox caddy guard.json --test', note: 'test it in a real Caddy in a container' },
];

const exitNote =
  'Exit status: 0 success; 1 negative result (invalid file, failed probe or expectation); 2 usage error; ' +
  '3 an external tool or the container runtime failed; 130 interrupted.';

/** Width for an unknown terminal, and the minimum for two columns. */
const usualWidth = 80;
const leastWidth = 40;

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function columnLines(rows: readonly Term[], termWidth: number, width: number): string[] {
  const lines = rows.flatMap(([term, meaning]) =>
    wrap(meaning, width - termWidth - 4).map((line, index) => [(index === 0 ? term : '').padEnd(termWidth), line]),
  );
  return table(lines);
}

/** Returns the examples as text that begins with an empty line. */
export function examplesText(list: readonly Example[], paint: Paint): string {
  const lines = list.map(({ line, note }) => `  ${paint('dim', `# ${note}`)}\n  ${line}`);
  return `\n${paint('bold', 'Examples:')}\n${lines.join('\n')}`;
}

interface Help {
  readonly name: string;
  readonly description: readonly string[];
  readonly options: readonly Term[];
  readonly rows: readonly CommandRow[];
  readonly examples: readonly Example[];
}

/** Returns the help of a list of commands, without the notes at its end. */
function menuHelp({ name, description, options, rows, examples }: Help, width: number, paint: Paint): string[] {
  const commands = rows.map(({ name: word, aliases = [], summary }): Term => [[word, ...aliases].join(', '), summary]);
  const termWidth = Math.max(...[...options, ...commands].map(([term]) => term.length));
  return [
    `${paint('bold', 'Usage:')} ${name} <command> [options]`,
    ...description.flatMap((paragraph) => ['', ...wrap(paragraph, width)]),
    '',
    paint('bold', 'Options:'),
    ...columnLines(options, termWidth, width),
    '',
    paint('bold', 'Commands:'),
    ...columnLines(commands, termWidth, width),
    examplesText(examples, paint),
    '',
  ];
}

const widthOf = ({ columns: wanted }: Terminal): number => Math.max(wanted ?? usualWidth, leastWidth);

export function programHelp(rows: readonly CommandRow[], terminal: Terminal, paint: Paint): string {
  const width = widthOf(terminal);
  const help = menuHelp({ name: 'guardcli', description: programDescription, options, rows, examples }, width, paint);
  return [...help, ...wrap(exitNote, width), ''].join('\n');
}

export function groupHelp(
  { name, summary }: { readonly name: string; readonly summary: string },
  { description, subcommands, examples }: CommandGroup,
  terminal: Terminal,
  paint: Paint,
): string {
  const help = { name, description: [summary, description], options: [helpOption], rows: subcommands, examples };
  return menuHelp(help, widthOf(terminal), paint).join('\n');
}
