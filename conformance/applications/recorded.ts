/** Requests of browsers to applications that people host themselves: one JSON line each in `<application>.jsonl`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GuardRequest } from '../../engine/index.ts';
import { packageRoot } from '../../platform/assets.ts';

export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  /** Content-Type. */
  readonly type?: string;
  /** One character for each byte. */
  readonly body?: string;
}

const folder = pathToFileURL(join(packageRoot, 'conformance/applications/'));

/** Names of the applications. */
export const recordedApplications = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
    .sort();

export const recordedRequests = (application: string): RecordedRequest[] =>
  readFileSync(new URL(`${application}.jsonl`, folder), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedRequest);

export const guardRequest = ({ method, target, type, body = '' }: RecordedRequest): GuardRequest => ({
  ...{ method, target, body, ip: '', host: '' },
  headers: type === undefined ? [] : [['Content-Type', type]],
});
