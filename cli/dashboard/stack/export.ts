import type { Context } from '../../program/context.ts';
import { createPassword } from './password.ts';
import { type Writing, writeStack } from './stack.ts';

export interface ExportResult {
  readonly dir: string;
  readonly written: readonly string[];
  /** Files that the user changed. */
  readonly kept: readonly string[];
  /** Password of Grafana, if this command created it. */
  readonly adminPassword: string | null;
}

export function exportStack(request: Writing, context: Context): ExportResult {
  const { settings, written, kept } = writeStack({ ...request, isForExport: true }, context);
  return { dir: settings.dir, written, kept, adminPassword: createPassword(settings.dir) ?? null };
}
