/**
 * The help of the program. It does not use the parser, whose import takes longer than everything else at
 * start-up.
 */
import type { CommandRow, Example } from './command.ts';
import type { Terminal } from './context.ts';
import type { Paint } from './paint.ts';
import { table } from './table.ts';

const description: readonly string[] = [
  'One policy against path scanners, tested offline and in the real proxies.',
  'A policy is a file, guard.json. Every command accepts --json and --help.',
];

const options: readonly (readonly [string, string])[] = [
  ['-V, --version', 'show the version'],
  ['-h, --help', 'show this help'],
];

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

/** Breaks text at spaces into lines of at most `width` characters. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Two columns: terms of `termWidth` characters, and their descriptions. */
function columns(rows: readonly (readonly [string, string])[], termWidth: number, width: number): string[] {
  const lines = rows.flatMap(([term, meaning]) =>
    wrap(meaning, width - termWidth - 4).map((line, index) => [(index === 0 ? term : '').padEnd(termWidth), line]),
  );
  return table(lines);
}

/** The `Examples:` section of a help text, preceded by an empty line. */
export function examplesText(list: readonly Example[], paint: Paint): string {
  const lines = list.map(({ line, note }) => `  ${paint('dim', `# ${note}`)}\n  ${line}`);
  return `\n${paint('bold', 'Examples:')}\n${lines.join('\n')}`;
}

export function programHelp(table: readonly CommandRow[], { columns: wanted }: Terminal, paint: Paint): string {
  const width = Math.max(wanted ?? usualWidth, leastWidth);
  const commands = table.map(({ name, summary }) => [name, summary] as const);
  const termWidth = Math.max(...[...options, ...commands].map(([term]) => term.length));
  return [
    `${paint('bold', 'Usage:')} guardcli <command> [options]`,
    ...description.flatMap((paragraph) => ['', ...wrap(paragraph, width)]),
    '',
    paint('bold', 'Options:'),
    ...columns(options, termWidth, width),
    '',
    paint('bold', 'Commands:'),
    ...columns(commands, termWidth, width),
    examplesText(examples, paint),
    '',
    ...wrap(exitNote, width),
    '',
  ].join('\n');
}
