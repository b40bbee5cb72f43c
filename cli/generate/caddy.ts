/**
 * Writes a policy as a `guard` block for a Caddyfile: the keys that differ from the defaults, in the order of the
 * policy.
 */
import { isDeepStrictEqual } from 'node:util';
import { Captcha, Exception, Policy, Response, Rule } from '../../contract/policy/schema.ts';
import { snakeCase } from '../../contract/schema/keys.ts';
import { type Block, type Item, line, render, word, wrapped } from './caddyfile.ts';
import type { Generated } from './generated.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Name and value of a key in the Caddyfile. */
type Writer = (key: string, value: never) => readonly Item[];

const note = `# \`guard\` has no default position in Caddy's order of directives. Put the global option
# "order guard first" at the top of the Caddyfile, or write this block inside "route".
`;

const each: Writer = (key, values: readonly string[]) => values.map((value) => line(key, value));

/** Scalars take one line each; lists are split into lines of a readable length. */
function plainly(key: string, value: unknown): readonly Item[] {
  return Array.isArray(value) ? wrapped(key, value) : [line(key, value as string | number | boolean)];
}

/** The keys of `fields` that differ from `defaults`. An absent key counts as its default. */
function differing(fields: Fields, defaults: Fields, writers: Readonly<Record<string, Writer>> = {}): Item[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined || isDeepStrictEqual(value, defaults[key])) return [];
    return (writers[key] ?? plainly)(snakeCase(key), value as never);
  });
}

const rule: Writer = (_key, rules: Policy['rules']) =>
  rules.map(({ id, ...fields }): Block => {
    const { targets, description } = Rule.parse({ id, action: 'block', pattern: 'x' });
    return { head: `rule ${word(id)}`, items: differing(fields, { targets, description }) };
  });

const exception: Writer = (_key, exceptions: Policy['exceptions']) =>
  exceptions.map((fields): Block => {
    const { hosts } = Exception.parse({ rules: ['x'], path: 'x' });
    return { head: 'exception', items: differing(fields, { hosts }) };
  });

/**
 * Quotes a header name `import`, which would be read as a directive at the start of a line. Header names are
 * case-insensitive.
 */
const headerName = (name: string): string => (name === 'import' ? 'Import' : word(name));

const headers: Writer = (key, values: Readonly<Record<string, string>>) => [
  { head: key, items: Object.entries(values).map(([name, value]) => line(headerName(name), value)) },
];

const captcha: Writer = (key, fields: Fields) => {
  const { provider, siteKey, ...defaults } = Captcha.parse({ provider: 'captcha-a', siteKey: 'x' });
  return [{ head: key, items: differing(fields, defaults) }];
};

const response: Writer = (key, fields: Fields) => [
  { head: key, items: differing(fields, Response.parse({}), { headers, captcha }) },
];

const writers = { blockPatterns: each, allowPatterns: each, rules: rule, exceptions: exception, response };

/** The block, preceded by a comment that explains where it belongs. */
export function generateCaddy({ $schema, ...policy }: Policy): Generated {
  const items = differing(policy, Policy.parse({}), writers);
  return { text: note + render([items.length === 0 ? 'guard' : { head: 'guard', items }]) };
}
