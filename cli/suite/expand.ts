/** Expands a case of a suite file to one case, or one per target of its table. */
import type { Suite, SuiteCase } from '../../contract/cases/schema.ts';
import type { LoadedFile } from '../../contract/load/problem.ts';
import { requestOf } from '../evaluate/request.ts';
import type { Case, SuitePolicy } from './case.ts';

function headerLines(headers: SuiteCase['request']['headers'] = {}): string[] {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`));
}

type Target = { readonly path?: string } | { readonly pathBase64: string };

interface Row {
  readonly target: Target;
  readonly name: string;
  readonly path: readonly (string | number)[];
}

function rowsOf({ name, request: { path, raw, paths } }: SuiteCase, index: number): Row[] {
  const at = ['cases', index];
  if (paths) {
    const place = [...at, 'request', 'paths'];
    return paths.map((target, row) => ({
      target: { path: target },
      name: `${name}: ${target}`,
      path: [...place, row],
    }));
  }
  if (raw !== undefined) {
    return [{ target: { pathBase64: Buffer.from(raw, 'latin1').toString('base64') }, name, path: at }];
  }
  return [{ target: path === undefined ? {} : { path }, name, path: at }];
}

export const rowCount = ({ request: { paths } }: SuiteCase): number => paths?.length ?? 1;

/**
 * Returns the case once for each target and policy. The schema of suites already refuses what `requestOf` refuses in
 * flags.
 */
export function expandCase(file: LoadedFile<Suite>, index: number, policies: readonly SuitePolicy[]): Case[] {
  const one = file.value.cases[index] as SuiteCase;
  const { method, query, body, headers, ip } = one.request;
  const header = headerLines(headers);
  const flags = {
    ...{ method, header },
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
    ...(ip !== undefined && { ip }),
  };
  return rowsOf(one, index).flatMap(({ target, name, path }) => {
    const { request } = requestOf({ ...flags, ...target });
    const position = () => file.place(path);
    return policies.map((policy) => ({ name, file: file.name, position, request, expect: one.expect, policy }));
  });
}
