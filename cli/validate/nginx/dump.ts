/** Parses the output of `nginx -T`: every file of the configuration, after a line with its name. */
import { dirname, matchesGlob, resolve } from 'node:path';
import { type Directive, parseNginx } from './parse.ts';

const fileHeading = /^# configuration file (.+):$/;
/** Messages that nginx writes to standard error. The dump has them if both outputs went to one file. */
const nginxMessage = /^nginx: .* (?:syntax is ok|test is successful)$/;

/** `line` is the first line of the file in the dump. */
function filesOf(dump: string): Map<string, { readonly text: string; readonly line: number }> {
  const files = new Map<string, { text: string; line: number }>();
  let name: string | undefined;
  for (const [index, line] of dump.split('\n').entries()) {
    const [, found] = fileHeading.exec(line) ?? [];
    const file = name === undefined ? undefined : files.get(name);
    if (found !== undefined && !files.has(found)) files.set(found, { text: '', line: index + 2 });
    if (found !== undefined) name = found;
    else if (file) file.text += nginxMessage.test(line) ? '\n' : `${line}\n`;
  }
  return files;
}

/**
 * Returns a function that converts a line number of the dump to a place, such as `/etc/nginx/nginx.conf:12`. That
 * function returns undefined when the dump is a single file.
 */
export function placesIn(dump: string): (line: number) => string | undefined {
  const starts = [...filesOf(dump)].map(([name, { line }]) => ({ name, line }));
  return (line) => {
    const file = starts.findLast((one) => one.line <= line);
    return file && `${file.name}:${line - file.line + 1}`;
  };
}

/** Maximum depth of includes, for a file that includes itself. nginx refuses such a file. */
const deepest = 16;

/**
 * Parses a dump and expands every `include` like nginx. Line numbers are those of the dump, not of the included files.
 * @throws NginxSyntaxError
 */
export function parseDump(dump: string): readonly Directive[] {
  const files = filesOf(dump);
  const [[root, first] = ['', undefined]] = files;
  if (!first) return parseNginx(dump);
  const parsed = new Map([...files].map(([name, { text, line }]) => [name, parseNginx(text, line)]));
  const expand = (directives: readonly Directive[], depth: number): Directive[] =>
    directives.flatMap((directive): Directive[] => {
      const { name, args, children } = directive;
      if (children) return [{ ...directive, children: expand(children, depth) }];
      if (name !== 'include' || depth > deepest) return [directive];
      const pattern = resolve(dirname(root), args[0] ?? '');
      const included = [...parsed].filter(([file]) => file === pattern || matchesGlob(file, pattern));
      return included.flatMap(([, content]) => expand(content, depth + 1));
    });
  return expand(parsed.get(root) ?? [], 0);
}
