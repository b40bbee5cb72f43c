import type { Option, Command as Parser } from 'commander';

const isBoolean = (text: string | undefined): boolean => text === 'true' || text === 'false';

function optionOf(token: string, options: readonly Option[]): Option | undefined {
  return options.find(({ short, long }) => token === short || token === long);
}

/**
 * Joins each option to its optional value, by default `true`. Only `true` and `false` are such values: in
 * `--check-query /x`, the word `/x` stays an argument.
 */
export function joinOptionalValues(argv: readonly string[], parser: Parser): string[] {
  const joined: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] as string;
    const next = argv[i + 1];
    if (token === '--') return [...joined, ...argv.slice(i)];
    const option = optionOf(token, parser.options);
    if (option?.optional) {
      joined.push(`${token}=${isBoolean(next) ? next : 'true'}`);
      if (isBoolean(next)) i++;
    } else if (option?.required && next !== undefined) {
      joined.push(token, next);
      i++;
    } else joined.push(token);
  }
  return joined;
}
