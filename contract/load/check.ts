import type * as z from 'zod/mini';
import { limits } from '../policy/limits.ts';
import { type Path, valueAt } from '../schema/problem.ts';
import { foreignFault } from './foreign.ts';
import { type Issue, issuesOf, type Writing } from './issues.ts';
import type { SchemaPlace } from './key-hints.ts';
import { type Position, positionsOf } from './position.ts';
import type { Loaded, Problem } from './problem.ts';
import { safe } from './quote.ts';
import { decode, emptyFault, fileSubject, type Subject } from './text.ts';
import { type Fault, memberAt, type Node, nearestAt, pathsOf, pathText, type Tree } from './tree.ts';

export interface Located {
  readonly root: Node;
  /**
   * Returns the position of the value at `path`. For an absent value, returns the position of the nearest container.
   */
  readonly place: (path: Path) => Position;
}

export interface Form<S extends z.ZodMiniType> {
  /** What the bytes are called in messages. Default: a file. */
  readonly subject?: Subject;
  readonly schema: S;
  readonly maxBytes: number;
  readonly read: (text: string) => Tree;
  readonly schemaAt: (path: Path) => SchemaPlace;
  readonly warnings: (value: z.output<S>, located: Located) => readonly Problem[];
  /** Returns the value that programs get, made of the checked one. Default: the checked one. */
  readonly complete?: (value: z.output<S>) => z.output<S>;
  /** Returns the values to check in place of the file's values. Default: the file's values. */
  readonly prepare?: (root: Node) => Prepared;
}

export interface Prepared {
  readonly value: unknown;
  readonly issues?: readonly Issue[];
  /** Whether an issue counts. Default: all issues count. */
  readonly counts?: (issue: Issue) => boolean;
  /** Returns the environment variable that sets the value at a path. */
  readonly variable?: (path: Path) => string | undefined;
}

type Positions = (offset: number) => Position;
type Found = { readonly offset: number; readonly problem: () => Problem };

/** Returns a refused file with the first findings, sorted by position. Builds messages only for these findings. */
function refusedFile(name: string, findings: readonly Found[]): Loaded<never> {
  const sorted = findings.toSorted((a, b) => a.offset - b.offset);
  const problems = sorted.slice(0, limits.fileProblems).map(({ problem }) => problem());
  return { ok: false, name, problems, omitted: sorted.length - problems.length };
}

const withHint = (hint: string | undefined) => (hint === undefined ? {} : { hint: safe(hint) });

function faultFound({ offset, message, path = [], hint, earlier }: Fault, at: Positions): Found {
  const problem = (): Problem => {
    const first = earlier === undefined ? undefined : at(earlier);
    const suffix = first ? `, first at ${first.line}:${first.column}` : '';
    return { kind: 'syntax', path: pathText(path), ...at(offset), message: message + suffix, ...withHint(hint) };
  };
  return { offset, problem };
}

function issueFound(issue: Issue, root: Node, at: Positions): Found {
  const member = memberAt(root, issue.path);
  const offset = issue.isAboutKey && member ? member.start : nearestAt(root, issue.path).start;
  const problem = (): Problem => {
    const { kind, path, message, hint } = issue;
    return { kind, path: pathText(path), ...at(offset), message: safe(message), ...withHint(hint) };
  };
  return { offset, problem };
}

function variableFound({ kind, message, hint }: Issue, variable: string): Found {
  return {
    offset: -1,
    problem: () => ({ kind, path: variable, line: 0, column: 0, message: safe(message), ...withHint(hint) }),
  };
}

/** Keeps one issue for each place. The others mostly follow from the first. */
function onePerPlace(issues: readonly Issue[]): Issue[] {
  const seen = new Set<string>();
  return issues.filter(({ path }) => {
    const key = JSON.stringify(path);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * Finds keys named `__proto__`. zod drops such a key of a record without an issue, so a service or a header would be
 * missing.
 */
const prototypesIn = (root: Node): Issue[] =>
  pathsOf('__proto__', root).map((path) => ({
    kind: 'unknown_key',
    message: 'no key can be "__proto__"',
    path,
    isAboutKey: true,
    hint: 'choose another name',
  }));

/** Parses a value whose issues do not count: fills in defaults and keeps everything else. */
function parseTolerantly<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  return (schema._zod.run({ value, issues: [] }, { async: false }) as z.core.ParsePayload).value as z.output<S>;
}

/** Returns the value at a path. An object that is written as a text has this text in place of its keys. */
function writtenAt(root: unknown, path: Path): unknown {
  const holder = valueAt(root, path.slice(0, -1));
  return typeof holder === 'string' ? holder : valueAt(root, path);
}

function check<S extends z.ZodMiniType>(
  { schema, schemaAt }: Form<S>,
  prepared: Prepared,
  root: Node,
  writing: Writing,
): { value: () => z.output<S>; issues: Issue[] } {
  const { error, data } = schema.safeParse(prepared.value);
  const raw = (error?.issues ?? []).flatMap((issue) => {
    const path = issue.path as Path;
    return issuesOf(issue, { path, schemaPlace: schemaAt(path), value: writtenAt(prepared.value, path), writing });
  });
  const counted = onePerPlace([...(prepared.issues ?? []), ...raw]).filter(prepared.counts ?? (() => true));
  const issues = onePerPlace([...prototypesIn(root), ...counted]);
  return { value: () => (error ? parseTolerantly(schema, prepared.value) : (data as z.output<S>)), issues };
}

function acceptedFile<T>(name: string, { root, place }: Located, value: T, warn: () => readonly Problem[]): Loaded<T> {
  let warnings: readonly Problem[] | undefined;
  return {
    ok: true,
    name,
    value,
    file: root.value,
    place,
    get warnings() {
      warnings ??= warn();
      return warnings;
    },
  };
}

/** Reads and checks a file. Never throws, whatever the bytes are. */
export function loadFile<S extends z.ZodMiniType>(bytes: Uint8Array, name: string, form: Form<S>): Loaded<z.output<S>> {
  const { subject = fileSubject } = form;
  const decoded = decode(bytes, form.maxBytes, subject);
  const at = positionsOf(decoded.text);
  const faults = (list: readonly Fault[]) => list.map((fault) => faultFound(fault, at));
  if (!decoded.ok) return refusedFile(name, faults([decoded.fault]));
  const tree = form.read(decoded.text);
  if (tree.isEmpty) return refusedFile(name, faults([emptyFault(subject)]));
  const { root } = tree;
  const isFile = subject.noun === fileSubject.noun;
  const foreign = !isFile || root?.members || root?.items ? undefined : foreignFault(decoded.text);
  if (foreign) return refusedFile(name, faults([foreign]));
  if (!root) return refusedFile(name, faults(tree.faults));
  const prepared: Prepared = form.prepare?.(root) ?? { value: root.value };
  const writing = isFile ? (tree.isYaml ? 'yaml' : 'json') : 'request';
  const { value, issues } = check(form, prepared, root, writing);
  const findings = issues.map((issue) => {
    const variable = prepared.variable?.(issue.path);
    return variable === undefined ? issueFound(issue, root, at) : variableFound(issue, variable);
  });
  if (tree.faults.length + findings.length > 0) return refusedFile(name, [...faults(tree.faults), ...findings]);
  const checked = value();
  const place = (path: Path) => at((memberAt(root, path)?.node ?? nearestAt(root, path)).start);
  const located: Located = { root, place };
  return acceptedFile(name, located, form.complete?.(checked) ?? checked, () => form.warnings(checked, located));
}
