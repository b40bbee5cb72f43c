/** Writes manual pages from the help of a program. */

interface Page {
  readonly name: string;
  readonly section: number;
  /** Text after `<name> - ` in the first section. */
  readonly summary: string;
  /** The output of `--help`: usage lines, then the options. */
  readonly help: string;
  /** The help of each command, by its command line. */
  readonly commands?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Escapes backslashes, hyphens, and a period or an apostrophe at the start of a line, which begins a request of roff.
 */
const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

const verbatimText = (text: string): string => `.nf\n${escapeRoff(text.trimEnd())}\n.fi\n`;

export function manPage({ name, section, summary, help, commands = {}, files = {} }: Page): string {
  const [usage = '', ...others] = help.split(/\n\n/);
  const listed = Object.entries(files).map(([path, text]) => `.TP\n.I ${escapeRoff(path)}\n${escapeRoff(text)}\n`);
  const sections = Object.entries(commands).map(([line, text]) => `.SS ${escapeRoff(line)}\n${verbatimText(text)}`);
  return [
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} ${section}\n`,
    `.SH NAME\n${escapeRoff(name)} \\- ${escapeRoff(summary)}\n`,
    `.SH SYNOPSIS\n${verbatimText(usage.replace(/^(?:Usage:|\s{6})\s?/gm, ''))}`,
    `.SH DESCRIPTION\n${verbatimText(others.join('\n\n'))}`,
    ...(sections.length > 0 ? [`.SH COMMANDS\n${sections.join('')}`] : []),
    ...(listed.length > 0 ? [`.SH FILES\n${listed.join('')}`] : []),
  ].join('');
}
