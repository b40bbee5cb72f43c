/** Finds texts that match a regular expression of nginx and contain a given text. */

/** Part of a pattern, such as `[a-z]+` or `(?:x|y)?`. */
interface Element {
  readonly source: string;
  /** The element without its quantifier. */
  readonly once: string;
}

/** Texts that are tried for an element. An element that matches none of them is split. */
const commonTexts = ['', 'a', '1', '/', 'A', '-', 'aa', '11'];
/** Depth of nested groups that are split. */
const deepest = 8;
const mostTexts = 64;

const quantifier = /(?:[?*+]|\{\d+(?:,\d*)?\})[?+]?/y;
const simpleElement = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^(]/sy;

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function groupLength(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; ) {
    if (source[at] === '(') depth += 1;
    if (source[at] === ')') depth -= 1;
    at += source[at] === '(' ? 1 : matchAt(simpleElement, source, at).length || 1;
    if (depth === 0) return at - start;
  }
  return source.length - start;
}

/** Each alternative is a list of elements. */
function alternativesOf(source: string): Element[][] {
  const alternatives: Element[][] = [[]];
  for (let at = 0; at < source.length; ) {
    const length = source[at] === '(' ? groupLength(source, at) : matchAt(simpleElement, source, at).length || 1;
    const once = source.slice(at, at + length);
    const repeated = matchAt(quantifier, source, at + length);
    at += length + repeated.length;
    if (once === '|') alternatives.push([]);
    else alternatives.at(-1)?.push({ source: once + repeated, once });
  }
  return alternatives;
}

const groupPattern = /^\((?:\?(?::|P?<\w+>|'\w+'))?(?![?])(.*)\)$/s;
const innerOf = ({ once }: Element): string | undefined => groupPattern.exec(once)?.[1];

const escapeSamples: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a' };

/** `isPresent`: the text of an optional element is not empty. */
function sampleOf(element: Element, isPresent: boolean, depth: number): string {
  const whole = compile(`^(?:${isPresent ? element.once : element.source})$`);
  const found = commonTexts.find((text) => whole?.test(text));
  const inner = innerOf(element);
  if (found !== undefined || depth > deepest) return found ?? '';
  if (inner !== undefined) return joinSamples(alternativesOf(inner)[0] ?? [], isPresent, depth);
  const [, escaped] = /^\\(.)/s.exec(element.once) ?? [];
  if (escaped !== undefined) return escapeSamples[escaped] ?? escaped;
  const [, member = ''] = /^\[(?:\\(?=.))?(.)/s.exec(element.once) ?? [];
  return member || (element.once.startsWith('(') ? '' : element.once);
}

const joinSamples = (elements: readonly Element[], isPresent: boolean, depth: number): string =>
  elements.map((element) => sampleOf(element, isPresent, depth + 1)).join('');

function textsOf(source: string, inserted: string, depth: number): string[] {
  if (depth > deepest) return [];
  return alternativesOf(source).flatMap((elements) =>
    elements.flatMap((element, index) => {
      const inner = innerOf(element);
      const whole = compile(`^(?:${element.source})$`)?.test(inserted) ? [inserted] : [];
      const filled = [...whole, ...(inner === undefined ? [] : textsOf(inner, inserted, depth + 1))];
      return [false, true].flatMap((isPresent) => {
        const before = joinSamples(elements.slice(0, index), isPresent, depth);
        const after = joinSamples(elements.slice(index + 1), isPresent, depth);
        return filled.map((text) => before + text + after);
      });
    }),
  );
}

/** Compiles a pattern of nginx. Returns undefined for syntax that JavaScript does not have. */
export function compile(source: string, isCaseless = false): RegExp | undefined {
  const [, flag, rest = source] = /^(\(\?i\))?(.*)$/s.exec(source) ?? [];
  try {
    return new RegExp(rest.replaceAll('(?P<', '(?<'), isCaseless || flag !== undefined ? 'i' : '');
  } catch {
    return undefined;
  }
}

/** Returns texts that match the pattern. Each contains `inserted` at an element that matches it. */
export function matchingTexts(source: string, inserted: string): string[] {
  const pattern = compile(source);
  const texts = textsOf(source.replace(/^\(\?i\)/, ''), inserted, 0).slice(0, mostTexts);
  return [...new Set(texts)].filter((text) => pattern?.test(text));
}
