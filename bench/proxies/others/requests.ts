/** The requests that the tools are compared with: two public lists of scanners' targets, and requests of browsers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type RecordedRequest,
  recordedApplications,
  recordedRequests,
} from '../../../conformance/applications/recorded.ts';
import { packageRoot } from '../../../platform/assets.ts';

/** The files of the conformance data with rules, except those that need more than the default policy. */
const vectorFiles = ['access', 'attacks', 'files', 'names', 'secrets', 'system'];

interface Group {
  readonly tests: readonly {
    readonly request: { readonly target: string; readonly method?: string; readonly body?: string };
    readonly expect: { readonly verdict: string; readonly target?: string };
  }[];
}

const asGet = (target: string): RecordedRequest => ({ method: 'GET', target });

/** Targets that the conformance data expects to be blocked by their path. They favor the guard, whose rules they test. */
export function conformanceTargets(): RecordedRequest[] {
  const paths = vectorFiles.map((name) => join(packageRoot, `conformance/vectors/verdicts-rules-${name}.json`));
  const groups = paths.flatMap((path) => JSON.parse(readFileSync(path, 'utf8')) as Group[]);
  const tests = groups.flatMap((group) => group.tests);
  const blocked = tests.filter(({ expect }) => expect.verdict === 'blocked' && expect.target === 'path');
  const plain = blocked.filter(({ request }) => request.body === undefined && (request.method ?? 'GET') === 'GET');
  return [...new Set(plain.map(({ request }) => request.target))].map(asGet);
}

/** Names of the Core Rule Set for rule 930130, as paths. They favor the Core Rule Set. */
export function restrictedFiles(): RecordedRequest[] {
  const lines = readFileSync('/usr/share/modsecurity-crs/rules/restricted-files.data', 'utf8').split('\n');
  const names = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return names.map((name) => asGet(`/${encodeURI(name.replace(/^\//, ''))}`));
}

/** Requests of browsers to applications, with their bodies. */
export const honestRequests = (): RecordedRequest[] => recordedApplications().flatMap(recordedRequests);
