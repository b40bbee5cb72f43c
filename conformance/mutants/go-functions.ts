/**
 * Puts many mutants into one Go program: compiling and linking takes longer than most tests do. A function with mutants
 * is copied for each of them, and calls the copy of which the environment has the number.
 */
import type { Mutant } from './mutant.ts';

/** Environment variable with the number of the mutant. Without it the functions are unchanged. */
export const mutantVariable = 'MUTANT';

/** Declares the number for the functions of one package. */
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

/** `func (r T) name(parameters) results {`, without the parentheses of the receiver where it is none. */
const signature = /^func (?:\((?<receiver>\w+) [^)]+\) )?(?<name>\w+)\((?<rest>.*) \{$/;

/** Returns the function of gofmt's layout that has all of `find`. */
function functionWith(source: string, find: string): GoFunction | undefined {
  const at = source.indexOf(find);
  const start = source.lastIndexOf('\nfunc ', at) + 1;
  const end = source.indexOf('\n}\n', start) + '\n}\n'.length;
  const text = source.slice(start, end);
  return start > 0 && at + find.length <= end && signature.test(headOf(text)) ? { start, text } : undefined;
}

const headOf = (text: string): string => text.slice(0, text.indexOf('\n'));

/** Returns the names of parameters and whether there are results, of the text behind the first parenthesis. */
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

/** Adds the mutants of one file to its text. `left` are those outside of functions. */
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
