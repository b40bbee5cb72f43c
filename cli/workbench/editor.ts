/** Runs the editor of the user: `$VISUAL`, `$EDITOR`, or vi. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';

type Arguments = (file: string, line: number) => readonly string[];

/** Editors that do not read `+LINE`, by the name of their program. */
const editorForms: readonly (readonly [name: RegExp, form: Arguments])[] = [
  [/^(?:code|code-insiders|codium|cursor)$/, (file, line) => ['--wait', '--goto', `${file}:${line}`]],
  [/^(?:subl|zed)$/, (file, line) => ['--wait', `${file}:${line}`]],
  [/^(?:hx|helix)$/, (file, line) => [`${file}:${line}`]],
];
const usualArguments: Arguments = (file, line) => [`+${line}`, file];

const editorOf = ({ VISUAL, EDITOR }: Context['env']): string => VISUAL || EDITOR || 'vi';

/** Returns the arguments that open a file at a line. `editor` may have options: `code --new-window`. */
export function editorArguments(editor: string, file: string, line: number): readonly string[] {
  const name = basename(editor.trim().split(/\s+/)[0] ?? '');
  const [, form] = editorForms.find(([names]) => names.test(name)) ?? [];
  return (form ?? usualArguments)(file, line);
}

/** Status of a shell that does not find a program. */
const notFoundStatus = 127;

/** Opens a file in the editor. @throws UsageError when the editor fails */
export async function runEditor(file: string, line: number, { env, cwd }: Pick<Context, 'env' | 'cwd'>): Promise<void> {
  const editor = editorOf(env);
  // Like Git: a shell splits the options of the variable.
  const args = ['-c', `${editor} "$@"`, editor, ...editorArguments(editor, file, line)];
  const child = spawn('/bin/sh', args, { stdio: 'inherit', cwd, env: { ...env } });
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (status === 0) return;
  const message =
    status === notFoundStatus ? `there is no program ${editor}` : `${editor} ended with ${signal ?? status}`;
  throw new UsageError(`${message}; set VISUAL or EDITOR to another one`, { code: 'editor_failed' });
}
