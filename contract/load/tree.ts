import type { Path } from '../schema/problem.ts';
import { quoted } from './quote.ts';

export interface Node {
  readonly start: number;
  readonly value: unknown;
  /** Members of a mapping, in the order of the file. A duplicate key has its last value. */
  readonly members?: ReadonlyMap<string, Member>;
  readonly items?: readonly Node[];
}

export interface Member {
  readonly key: string;
  readonly start: number;
  readonly node: Node;
}

export interface Fault {
  readonly offset: number;
  readonly message: string;
  readonly path?: Path;
  readonly hint?: string;
  /** Offset of the earlier key that this key repeats. */
  readonly earlier?: number;
}

export interface Tree {
  /** Absent when parsing failed or the text has no value. */
  readonly root?: Node;
  /** Whether hints may name the forms of YAML, which JSON does not have. */
  readonly isYaml?: true;
  /** The text has no value, only comments or a `---`. */
  readonly isEmpty?: true;
  readonly faults: readonly Fault[];
}

/** Creates the node of a mapping. `__proto__` is an ordinary key. */
export function mappingNode(start: number, entries: readonly Member[]): Node {
  const value: Record<string, unknown> = {};
  for (const { key, node } of entries)
    Object.defineProperty(value, key, { value: node.value, enumerable: true, configurable: true, writable: true });
  return { start, value, members: new Map(entries.map((member) => [member.key, member])) };
}

/** Returns the paths of all keys with this name. It can recurse, because the parsers bound the nesting. */
export function pathsOf(name: string, root: Node): Path[] {
  const found: Path[] = [];
  const path: (string | number)[] = [];
  const enter = (step: string | number, node: Node) => {
    path.push(step);
    if (step === name) found.push([...path]);
    walk(node);
    path.pop();
  };
  const walk = ({ members, items }: Node) => {
    if (members) for (const { key, node } of members.values()) enter(key, node);
    for (const [index, item] of items?.entries() ?? []) enter(index, item);
  };
  walk(root);
  return found;
}

export function repeatedKeys(members: readonly Member[], path: Path): Fault[] {
  const first = new Map<string, number>();
  const faults: Fault[] = [];
  const hint = 'keep one of them, with the values of both';
  for (const { key, start } of members) {
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, start);
    else faults.push({ offset: start, message: `${quoted(key)} is there twice`, path: [...path, key], earlier, hint });
  }
  return faults;
}

function childOf(node: Node, step: string | number): Member | undefined {
  if (typeof step === 'string') return node.members?.get(step);
  const item = node.items?.[step];
  return item && { key: String(step), start: item.start, node: item };
}

export function memberAt(root: Node, path: Path): Member | undefined {
  let member: Member | undefined = { key: '', start: root.start, node: root };
  for (const step of path) member = member && childOf(member.node, step);
  return member;
}

/** Returns the deepest existing value on the way to `path`. */
export function nearestAt(root: Node, path: Path): Node {
  for (let length = path.length; length > 0; length--) {
    const member = memberAt(root, path.slice(0, length));
    if (member) return member.node;
  }
  return root;
}

const plainKey = /^[$A-Za-z_][\w$-]*$/;

/** Formats a path as users write it: `response.headers.X-A`, `rules[0].pattern`, `services["a b"]`. */
export function pathText(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return plainKey.test(step) && step.length <= 60 ? `.${step}` : `[${quoted(step)}]`;
  });
  return steps.join('').replace(/^\./, '');
}
