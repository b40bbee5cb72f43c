/**
 * The help of the program as a whole. It is written here, and not by the parser: loading the parser takes longer than
 * everything else that a start does.
 */
import type { CommandRow, Example } from './command.ts';
import type { Terminal } from './context.ts';
import type { Paint } from './paint.ts';
import { table } from './table.ts';

const description: readonly string[] = [
  'One policy against path scanners, tried offline and against the real proxies.',
  'A policy is a file, guard.json. Every command takes --json and explains itself with --help.',
];

const options: readonly (readonly [string, string])[] = [
  ['-V, --version', 'show the version'],
  ['-h, --help', 'show this help'],
];

const examples: readonly Example[] = [
  { line: "guardcli test '/static/..%252f.env'", note: 'what the policy says about a path' },
  { line: 'guardcli validate guard.json', note: 'every mistake of a policy at once' },
  { line: 'guardcli generate caddy guard.json', note: 'the policy for a Caddyfile' },
  { line: 'guardcli sandbox caddy guard.json --test', note: 'proof in a real Caddy in a container' },
];

const exitNote =
  'Exit status: 0 done; 1 the answer is no (invalid file, failed probe or expectation); 2 usage; ' +
  '3 a tool or engine outside failed; 130 interrupted.';

/** Where a terminal does not say, and the least that two columns need. */
const usualWidth = 80;
const leastWidth = 40;

/** Lines of at most `width` characters, broken at spaces. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Terms in a column of `termWidth`, and beside them what they mean. */
function columns(rows: readonly (readonly [string, string])[], termWidth: number, width: number): string[] {
  const lines = rows.flatMap(([term, meaning]) =>
    wrap(meaning, width - termWidth - 4).map((line, index) => [(index === 0 ? term : '').padEnd(termWidth), line]),
  );
  return table(lines);
}

/** The `Examples:` of a help, with an empty line above. */
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
