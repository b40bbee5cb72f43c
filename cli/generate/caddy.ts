/**
 * Writes a policy as a `guard` block for a Caddyfile: the keys that differ from the defaults, in the order of the
 * policy.
 */
import { Policy, Response } from '../../contract/policy/schema.ts';
import { snakeCase } from '../../contract/values/keys.ts';
import { type Block, type Item, line, render, word, wrapped } from './caddyfile.ts';
import type { Generated } from './generated.ts';
import { captchaDefaults, differing, exceptionDefaults, type Fields, ruleDefaults } from './sparse.ts';

/** Writes one key, with its name in the Caddyfile. */
type Writer = (key: string, value: never) => readonly Item[];

const note = `# \`guard\` has no default position in Caddy's order of directives. Put the global option
# "order guard first" at the top of the Caddyfile, or write this block inside "route".
`;

const each: Writer = (key, values: readonly string[]) => values.map((value) => line(key, value));

/** Writes a scalar as one line, and a list as lines of a readable length. */
function writePlain(key: string, value: unknown): readonly Item[] {
  return Array.isArray(value) ? wrapped(key, value) : [line(key, value as string | number | boolean)];
}

/** Writes the keys of `fields` that differ from `defaults`. */
function items(fields: Fields, defaults: Fields, writers: Readonly<Record<string, Writer>> = {}): Item[] {
  return Object.entries(differing(fields, defaults)).flatMap(([key, value]) => {
    return (writers[key] ?? writePlain)(snakeCase(key), value as never);
  });
}

const rule: Writer = (_key, rules: Policy['rules']) =>
  rules.map(({ id, ...fields }): Block => ({ head: `rule ${word(id)}`, items: items(fields, ruleDefaults()) }));

const exception: Writer = (_key, exceptions: Policy['exceptions']) =>
  exceptions.map((fields): Block => ({ head: 'exception', items: items(fields, exceptionDefaults()) }));

/**
 * Quotes a header name `import`, which would be read as a directive at the start of a line. Header names are
 * case-insensitive.
 */
const headerName = (name: string): string => (name === 'import' ? 'Import' : word(name));

const headers: Writer = (key, values: Readonly<Record<string, string>>) => [
  { head: key, items: Object.entries(values).map(([name, value]) => line(headerName(name), value)) },
];

const captcha: Writer = (key, fields: Fields) => [{ head: key, items: items(fields, captchaDefaults()) }];

const response: Writer = (key, fields: Fields) => [
  { head: key, items: items(fields, Response.parse({}), { headers, captcha }) },
];

const writers = { blockPatterns: each, allowPatterns: each, rules: rule, exceptions: exception, response };

/** Returns the block, below a comment that explains where it belongs. */
export function generateCaddy({ $schema, tcp, ...policy }: Policy): Generated {
  const lines = items(policy, Policy.parse({}), writers);
  return { text: note + render([lines.length === 0 ? 'guard' : { head: 'guard', items: lines }]) };
}
