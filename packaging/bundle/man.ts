/** Manual pages from the help of a program. */

interface Page {
  readonly name: string;
  readonly section: number;
  /** Completes the line `<name> - `. */
  readonly summary: string;
  /** The output of `--help`: usage lines, then the options. */
  readonly help: string;
  /** Command lines with their help. */
  readonly commands?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Escapes what roff interprets: backslashes, hyphens, and control characters at the start of a line. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

/** Text with its line breaks. */
const verbatim = (text: string): string => `.nf\n${roff(text.trimEnd())}\n.fi\n`;

/** Returns the source of the page. */
export function manPage({ name, section, summary, help, commands = {}, files = {} }: Page): string {
  const [usage = '', ...others] = help.split(/\n\n/);
  const listed = Object.entries(files).map(([path, text]) => `.TP\n.I ${roff(path)}\n${roff(text)}\n`);
  const sections = Object.entries(commands).map(([line, text]) => `.SS ${roff(line)}\n${verbatim(text)}`);
  return [
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} ${section}\n`,
    `.SH NAME\n${roff(name)} \\- ${roff(summary)}\n`,
    `.SH SYNOPSIS\n${verbatim(usage.replace(/^(?:Usage:|\s{6})\s?/gm, ''))}`,
    `.SH DESCRIPTION\n${verbatim(others.join('\n\n'))}`,
    ...(sections.length > 0 ? [`.SH COMMANDS\n${sections.join('')}`] : []),
    ...(listed.length > 0 ? [`.SH FILES\n${listed.join('')}`] : []),
  ].join('');
}
