/** Parses YAML 1.2 (core schema) to a tree with offsets. Expands aliases within a bound. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
  type Node as YamlNode,
} from 'yaml';
import { limits } from '../policy/limits.ts';
import { positionsOf } from './position.ts';
import { safe } from './quote.ts';
import { type Fault, type Member, mappingNode, type Node, repeatedKeys, type Tree } from './tree.ts';

const tooDeep = `the nesting is deeper than ${limits.fileNesting}`;

interface Walk {
  readonly faults: Fault[];
  readonly path: (string | number)[];
  /** Nodes by the name of their anchor, as far as they have been visited. */
  readonly anchors: Map<string, YamlNode>;
  /** Number of values visited so far. The values of an alias count each time. */
  values: number;
}

/** Thrown when the file has more values than the bound, as with aliases of aliases, or is nested too deeply. */
class Stop extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const startOf = (node: YamlNode): number => node.range?.[0] ?? 0;

/**
 * Returns the node that an alias refers to, or undefined when there is no such anchor. Returns any other node
 * unchanged. A node that contains its alias nests endlessly; the bound on nesting ends it.
 */
function aliasTarget(node: YamlNode, walk: Walk): YamlNode | undefined {
  if (!isAlias(node)) return node;
  const anchored = walk.anchors.get(node.source);
  if (!anchored)
    walk.faults.push({ offset: startOf(node), message: `there is no anchor &${safe(node.source)} before it` });
  return anchored;
}

/** Quotes of word processors around a text. YAML reads them as a part of it, so a path in them is another path. */
function refuseCurlyQuotes({ type, source = '', range }: Scalar, walk: Walk): void {
  if (type !== 'PLAIN' || !/^[\u2018-\u201f].*[\u2018-\u201f]$/s.test(source)) return;
  const message = `${safe(source)} is in curly quotes, which YAML reads as a part of the text`;
  const hint = 'write strings and keys in straight double quotes (")';
  walk.faults.push({ offset: range?.[0] ?? 0, message, hint, path: [...walk.path] });
}

function keyOf({ key }: Pair, walk: Walk): { text: string; start: number } | undefined {
  if (isScalar(key)) refuseCurlyQuotes(key, walk);
  if (isScalar(key)) return { text: String(key.source ?? key.value), start: startOf(key) };
  const offset = key === null ? 0 : startOf(key as YamlNode);
  walk.faults.push({ offset, message: 'a key has to be text', path: [...walk.path] });
  return undefined;
}

function toMember(pair: Pair, walk: Walk): Member[] {
  const key = keyOf(pair, walk);
  if (!key) return [];
  walk.path.push(key.text);
  const value = pair.value as YamlNode | null;
  const node = value === null ? { start: key.start, value: null } : toNode(value, walk);
  walk.path.pop();
  return [{ key: key.text, start: key.start, node }];
}

function toItem(item: YamlNode, index: number, walk: Walk): Node {
  walk.path.push(index);
  const node = toNode(item, walk);
  walk.path.pop();
  return node;
}

function toNode(written: YamlNode, walk: Walk): Node {
  const start = startOf(written);
  walk.values += 1;
  if (walk.values > limits.fileValues)
    throw new Stop(start, `with its aliases the file has more than ${limits.fileValues} values`);
  const node = aliasTarget(written, walk);
  if (!node) return { start, value: null };
  if ('anchor' in node && node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  const isCollection = isMap(node) || isSeq(node);
  if (isCollection && walk.path.length >= limits.fileNesting) throw new Stop(start, tooDeep);
  if (isMap(node)) {
    const members = (node.items as Pair[]).flatMap((pair) => toMember(pair, walk));
    for (const fault of repeatedKeys(members, [...walk.path])) walk.faults.push(fault);
    return mappingNode(start, members);
  }
  if (isSeq(node)) {
    const items = (node.items as YamlNode[]).map((item, index) => toItem(item, index, walk));
    return { start, value: items.map(({ value }) => value), items };
  }
  if (isScalar(node)) refuseCurlyQuotes(node, walk);
  return { start, value: isScalar(node) ? node.value : null };
}

const parserOptions = {
  version: '1.2',
  schema: 'core',
  prettyErrors: false,
  uniqueKeys: false, // this module finds duplicate keys itself and reports both positions
  logLevel: 'error', // 'silent' would also ignore a second document in the file
} as const;

/** What to do about an error of the parser, by its code. */
const adviceOf: Readonly<Record<string, string>> = {
  BAD_INDENT: 'indent the keys of one object by the same number of blanks, and close each bracket',
  BLOCK_AS_IMPLICIT_KEY:
    'indent the keys of one object by the same number of blanks, and quote a text with a colon and a blank',
  MISSING_CHAR: 'indent the keys of one entry alike, close each quote and bracket, and write a colon after each key',
  MULTILINE_IMPLICIT_KEY: 'write a colon and a blank after each key, and indent the keys of one object alike',
  TAB_AS_INDENT: 'indent with blanks',
};

/** Returns the first fault of each line. Other faults on a line mostly follow from it. */
function syntaxFaults(text: string, errors: readonly YAMLError[]): Fault[] {
  const at = positionsOf(text);
  const lines = new Set<number>();
  const faults: Fault[] = [];
  for (const { pos, code, message } of errors.slice(0, limits.fileProblems)) {
    const [offset] = pos;
    const { line } = at(offset);
    const hint = adviceOf[code];
    const described = { message: code === 'RESOURCE_EXHAUSTION' ? tooDeep : safe(message), ...(hint && { hint }) };
    if (!lines.has(line)) faults.push({ offset, ...described });
    lines.add(line);
  }
  return faults;
}

const commentLine = /[ \t\r\n]*#[^\n]*\n?/y;

/** Returns the text with one blank line in place of the comments at its start: the parser takes 4 microseconds for each. */
function withoutFirstComments(text: string): string {
  let length = 0;
  commentLine.lastIndex = 0;
  while (commentLine.test(text)) length = commentLine.lastIndex;
  return length === 0 ? text : `${' '.repeat(length - 1)}\n${text.slice(length)}`;
}

/**
 * Parses a text, or returns undefined when it exhausts the stack. The parser recurses, and such a text exceeds the
 * bound on nesting by far.
 */
function parse(text: string): ReturnType<typeof parseDocument> | undefined {
  try {
    return parseDocument(withoutFirstComments(text), parserOptions);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether a document has no value. A document that consists of `---` has an empty scalar. */
const isVoid = (contents: unknown): boolean => contents === null || (isScalar(contents) && contents.source === '');

export function readYaml(text: string): Tree {
  const document = parse(text);
  if (!document) return { faults: [{ offset: 0, message: tooDeep }] };
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0) return { faults: syntaxFaults(text, errors) };
  if (isVoid(document.contents)) return { isEmpty: true, faults: [] };
  const walk: Walk = { faults: [], path: [], anchors: new Map(), values: 0 };
  try {
    return { root: toNode(document.contents as YamlNode, walk), isYaml: true, faults: walk.faults };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { faults: [...walk.faults, { offset: error.offset, message: error.message }] };
  }
}
