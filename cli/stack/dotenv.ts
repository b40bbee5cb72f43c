/** Parses the `.env` of a compose project and quotes values for it, in the syntax that all compose tools share. */

export interface Dotenv {
  readonly values: ReadonlyMap<string, string>;
  /** Lines that set other variables, verbatim. */
  readonly others: readonly string[];
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/;

function unquote(text: string): string {
  const [, , inside] = /^(['"])(.*)\1(?:\s+#.*)?$/.exec(text) ?? [];
  return inside ?? text.replace(/(?:^|\s+)#.*$/, '');
}

/** Parses the text of a `.env`. Drops comments. @param known names of the variables for `values` */
export function parseDotenv(text: string, known: ReadonlySet<string>): Dotenv {
  const values = new Map<string, string>();
  const others: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, name = '', value = ''] = assignment.exec(line) ?? [];
    if (known.has(name)) values.set(name, unquote(value));
    else if (name !== '') others.push(line);
  }
  return { values, others };
}

/** Quotes a value if necessary, so that `$` does not begin a variable. The value must not contain single quotes. */
export const singleQuoted = (value: string): string => (/^[\w./:@-]*$/.test(value) ? value : `'${value}'`);
