/** Reads and writes the `.env` of a compose project, as far as all compose tools agree on its syntax. */

export interface Dotenv {
  readonly values: ReadonlyMap<string, string>;
  /** Lines that set something else, verbatim. */
  readonly others: readonly string[];
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/;

function unquoted(text: string): string {
  const [, , inside] = /^(['"])(.*)\1(?:\s+#.*)?$/.exec(text) ?? [];
  return inside ?? text.replace(/(?:^|\s+)#.*$/, '');
}

/** Comments are dropped: the ones of the header are written again. */
export function parseDotenv(text: string, known: ReadonlySet<string>): Dotenv {
  const values = new Map<string, string>();
  const others: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, name = '', value = ''] = assignment.exec(line) ?? [];
    if (known.has(name)) values.set(name, unquoted(value));
    else if (name !== '') others.push(line);
  }
  return { values, others };
}

/** Single quotes prevent that `$` begins a variable. The value has none itself. */
export const quoted = (value: string): string => (/^[\w./:@-]*$/.test(value) ? value : `'${value}'`);
