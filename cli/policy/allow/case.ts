/** Adds a case to the suite beside a policy, so that CI keeps the exception in force. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Document, isSeq, type Node, parseDocument } from 'yaml';
import { suiteBounds } from '../../../contract/cases/bounds.ts';
import { loadSuite } from '../../../contract/cases/load.ts';
import type { GuardRequest } from '../../../engine/index.ts';
import { cut } from '../../../platform/cut.ts';
import { readReason, readRegularSync } from '../../../platform/regular-file.ts';
import { replaceFile } from '../../input/replace-file.ts';
import type { Context } from '../../program/context.ts';
import { suiteFile } from '../init/ci.ts';

/** Result of adding a case to the suite. `reason`: why no case was added. */
export type CaseResult =
  | { readonly file: string; readonly added: true }
  | { readonly file: string; readonly added: false; readonly reason: string };

function caseOf({ method, target, host }: GuardRequest) {
  const name = cut(`allows ${host ?? ''}${target}`, suiteBounds.nameBytes);
  const request = {
    ...(method !== 'GET' && { method }),
    path: target,
    ...(host !== undefined && { headers: { Host: host } }),
  };
  return { name, request, expect: { verdict: 'allowed' } };
}

function entryOf(request: GuardRequest): string[] {
  const document = new Document([caseOf(request)]);
  for (const key of ['request', 'expect']) Object.assign(document.getIn([0, key]) as object, { flow: true });
  return document.toString({ lineWidth: 0 }).trimEnd().split('\n');
}

/** Returns the suite with a case after the last one and no other change. `reason`: why this is impossible. */
function withCase(text: string, request: GuardRequest): { readonly text: string } | { readonly reason: string } {
  const cases = parseDocument(text).get('cases');
  const last = isSeq(cases) ? (cases.items.at(-1) as Node | undefined) : undefined;
  if (!isSeq(cases) || cases.flow || !last?.range || !cases.range)
    return { reason: 'its cases are not a list of blocks' };
  const start = cases.range[0];
  const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1));
  const end = text.indexOf('\n', last.range[1] - 1);
  const at = end < 0 ? text.length : end + 1;
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const added = entryOf(request).map((line) => indent + line + newLine);
  const edited = `${text.slice(0, at)}${end < 0 ? newLine : ''}${added.join('')}${text.slice(at)}`;
  return hasAddedCase(text, edited) ? { text: edited } : { reason: 'the case would not be valid' };
}

/** True when both suites are valid and differ only in a case at the end of the second one. */
function hasAddedCase(before: string, after: string): boolean {
  const [one, other] = [before, after].map((text) => loadSuite(Buffer.from(text), suiteFile));
  if (!one?.ok || !other?.ok) return false;
  const { cases, ...others } = other.value;
  return isDeepStrictEqual({ ...others, cases: cases.slice(0, -1) }, one.value);
}

/**
 * Adds a case to the suite in the folder of the policy. Returns undefined when there is no suite.
 * @param policy path relative to `cwd`
 */
export function addCase(policy: string, request: GuardRequest, { cwd }: Context): CaseResult | undefined {
  const file = join(dirname(policy), suiteFile);
  const path = resolve(cwd, file);
  if (!existsSync(path)) return undefined;
  let bytes: Buffer;
  try {
    bytes = readRegularSync(path, suiteBounds.fileBytes);
  } catch (error) {
    return { file, added: false, reason: `it cannot be read: ${readReason(error)}` };
  }
  const loaded = loadSuite(bytes, suiteFile);
  if (!loaded.ok) return { file, added: false, reason: 'it is not valid: guardcli test --suite lists its problems' };
  if (!/^[\x20-\x7e]*$/.test(request.target))
    return { file, added: false, reason: 'the target is not ASCII: add a case with raw' };
  const { policies = [] } = loaded.value;
  if (policies.length > 0 && !policies.some((one) => resolve(dirname(path), one) === resolve(cwd, policy)))
    return { file, added: false, reason: 'it tests other policies' };
  const edited = withCase(bytes.toString('utf8'), request);
  if ('reason' in edited) return { file, added: false, reason: edited.reason };
  replaceFile(path, bytes, edited.text);
  return { file, added: true };
}
