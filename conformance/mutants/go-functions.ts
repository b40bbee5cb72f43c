/**
 * Puts many mutants into one Go program, because compiling and linking takes longer than most tests do. Each mutant
 * becomes a copy of its function. The function calls the copy whose number is in an environment variable.
 */
import type { Mutant } from './mutant.ts';

/** Environment variable with the number of the mutant. Without it the functions are unchanged. */
export const mutantVariable = 'MUTANT';

/** Returns a Go file that declares `mutant`, the number from the environment, for one package. */
export const numberFile = (packageName: string): string => `package ${packageName}

import (
	"os"
	"strconv"
)

var mutant, _ = strconv.Atoi(os.Getenv("${mutantVariable}"))
`;

/** A mutant with its number, which is positive. */
export type Numbered = readonly [mutant: Mutant, number: number];

interface GoFunction {
  readonly start: number;
  readonly text: string;
}

/** Matches `func (r T) name(parameters) results {`. The receiver is optional. */
const signature = /^func (?:\((?<receiver>\w+) [^)]+\) )?(?<name>\w+)\((?<rest>.*) \{$/;

/** Returns the function that contains all of `find`. `source` has the layout of gofmt. */
function functionWith(source: string, find: string): GoFunction | undefined {
  const at = source.indexOf(find);
  const start = source.lastIndexOf('\nfunc ', at) + 1;
  const end = source.indexOf('\n}\n', start) + '\n}\n'.length;
  const text = source.slice(start, end);
  return start > 0 && at + find.length <= end && signature.test(headOf(text)) ? { start, text } : undefined;
}

const headOf = (text: string): string => text.slice(0, text.indexOf('\n'));

/** Parses a signature from the character after `name(`: the names of the parameters, and whether there are results. */
function parametersOf(rest: string): { names: string[]; hasResults: boolean } {
  const names: string[] = [];
  let [depth, start, end] = [0, 0, 0];
  for (; depth >= 0; end += 1) {
    if (rest[end] === '(') depth += 1;
    else if (rest[end] === ')') depth -= 1;
    if (!(depth < 0 || (depth === 0 && rest[end] === ','))) continue;
    const [, name, dots = ''] = /^\s*(\w+)(?: (\.\.\.))?/.exec(rest.slice(start, end)) ?? [];
    if (name !== undefined) names.push(name + dots);
    start = end + 1;
  }
  return { names, hasResults: end < rest.length };
}

function withCopies({ text }: GoFunction, mutants: readonly Numbered[]): string {
  const head = headOf(text);
  const { receiver, name = '', rest = '' } = signature.exec(head)?.groups ?? {};
  const { names, hasResults } = parametersOf(rest);
  const copyOf = (number: number): string => `${name}Mutant${number}`;
  const callOf = (number: number): string => {
    const call = `${receiver === undefined ? '' : `${receiver}.`}${copyOf(number)}(${names.join(', ')})`;
    return `\tif mutant == ${number} {\n\t\t${hasResults ? `return ${call}` : `${call}\n\t\treturn`}\n\t}`;
  };
  const copies = mutants.map(([{ find, replace }, number]) =>
    text.replace(`${name}(`, `${copyOf(number)}(`).replace(find, () => replace),
  );
  return [
    [head, ...mutants.map(([, number]) => callOf(number)), text.slice(head.length + 1)].join('\n'),
    ...copies,
  ].join('\n');
}

/** Adds the mutants of one file to its text. `left` has the mutants outside of functions, which are not added. */
export function withMutants(source: string, mutants: readonly Numbered[]): { text: string; left: Mutant[] } {
  const functions = new Map<string, [GoFunction, Numbered[]]>();
  const left: Mutant[] = [];
  for (const numbered of mutants) {
    const found = functionWith(source, numbered[0].find);
    if (found === undefined) left.push(numbered[0]);
    else functions.set(found.text, [found, [...(functions.get(found.text)?.[1] ?? []), numbered]]);
  }
  let text = source;
  for (const [found, its] of functions.values()) text = text.replace(found.text, () => withCopies(found, its));
  return { text, left };
}
