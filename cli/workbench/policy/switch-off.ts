/** Switches a rule off: computes the edited text of the policy file, and the new policy. */
import { readJson } from '../../../contract/load/json.ts';
import { loadPolicy } from '../../../contract/load/policy.ts';
import { type Member, memberAt, type Node } from '../../../contract/load/tree.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { endOf } from '../../policy/allow/edit.ts';
import type { RuleInfo } from '../rules.ts';

interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function itemRemoval(text: string, items: readonly Node[], index: number): TextEdit {
  const start = items[index]?.start ?? 0;
  const next = items[index + 1];
  if (next) return { from: start, to: next.start, text: '' };
  const from = text.slice(0, start).replace(/,?\s*$/, '').length;
  return { from, to: endOf(text, start), text: '' };
}

/** Line break and indentation that follow `at`. */
const spaceAfter = (text: string, at: number): string => /^[ \t]*(\r?\n[ \t]*)/.exec(text.slice(at))?.[1] ?? '';

function itemInsertion(text: string, { start, items = [] }: Node, entry: string): TextEdit {
  const last = items.at(-1);
  if (!last) return { from: start + 1, to: start + 1, text: entry };
  const at = endOf(text, last.start);
  return { from: at, to: at, text: `,${spaceAfter(text, start + 1) || ' '}${entry}` };
}

function keyInsertion(text: string, { start, value }: Node, member: string): TextEdit {
  const at = start + 1;
  const isEmpty = Object.keys(value as object).length === 0;
  if (isEmpty) return { from: at, to: endOf(text, start) - 1, text: `\n  ${member}\n` };
  const space = spaceAfter(text, at);
  return { from: at, to: at, text: space === '' ? `${member}, ` : `${space}${member},` };
}

/** Matches the id of a pattern in `blockPatterns` or `allowPatterns`: `block[2]`. */
const shortId = /^(block|allow)\[(\d+)\]$/;

interface CustomRule {
  readonly items: readonly Node[];
  readonly index: number;
  readonly item: Node;
}

export function ruleIn(root: Node, { id }: Pick<RuleInfo, 'id'>): CustomRule | undefined {
  const [, action, number] = shortId.exec(id) ?? [];
  const items = memberAt(root, [action === undefined ? 'rules' : `${action}Patterns`])?.node.items ?? [];
  const index =
    number === undefined ? items.findIndex(({ value }) => (value as { id?: unknown }).id === id) : Number(number);
  const item = items[index];
  return item && { items, index, item };
}

function editFor(text: string, root: Node, rule: RuleInfo): TextEdit | undefined {
  const { id, isCustom } = rule;
  const nodeOf = (key: string): Member | undefined => memberAt(root, [key]);
  if (!isCustom) {
    const entry = JSON.stringify(id);
    const listed = nodeOf('disabledRules');
    return listed ? itemInsertion(text, listed.node, entry) : keyInsertion(text, root, `"disabledRules": [${entry}]`);
  }
  const found = ruleIn(root, rule);
  return found && itemRemoval(text, found.items, found.index);
}

export type SwitchedOff =
  | { readonly ok: true; readonly text: string; readonly policy: Policy }
  | { readonly ok: false; readonly reason: string };

/** A policy that works like a missing file. Without a file, `guardcli` also inspects the query. */
const defaultsText = '{\n  "checkQuery": true\n}\n';

/** Returns the text and the policy without the rule. @param text of the file; empty when there is none */
export function switchOff(text: string, rule: RuleInfo): SwitchedOff {
  const before = text.trim() === '' ? defaultsText : text;
  const { root } = readJson(before);
  const edit = root && editFor(before, root, rule);
  if (!edit) return { ok: false, reason: 'the file is not JSON without problems: fix it first' };
  const after = before.slice(0, edit.from) + edit.text + before.slice(edit.to);
  const loaded = loadPolicy(Buffer.from(after), 'the edited file');
  if (loaded.ok) return { ok: true, text: after, policy: loaded.value };
  return { ok: false, reason: loaded.problems[0]?.message ?? 'the edited file is not valid' };
}
