/** What `nginx -T` prints: every file of the configuration under a line with its name, and none of them put together. */
import { dirname, matchesGlob, resolve } from 'node:path';
import { type Directive, parseNginx } from './parse.ts';

const heading = /^# configuration file (.+):$/;
/** What nginx says beside it, where both outputs went to one file. */
const verdict = /^nginx: .* (?:syntax is ok|test is successful)$/;

/** The text of each file, and the line of the dump that it begins on. */
function filesOf(dump: string): Map<string, { readonly text: string; readonly line: number }> {
  const files = new Map<string, { text: string; line: number }>();
  let name: string | undefined;
  for (const [index, line] of dump.split('\n').entries()) {
    const [, found] = heading.exec(line) ?? [];
    const file = name === undefined ? undefined : files.get(name);
    if (found !== undefined && !files.has(found)) files.set(found, { text: '', line: index + 2 });
    if (found !== undefined) name = found;
    else if (file) file.text += verdict.test(line) ? '\n' : `${line}\n`;
  }
  return files;
}

/** Nests deeper only where a file includes itself, which nginx refuses. */
const deepest = 16;

/**
 * The configuration as nginx sees it: every `include` replaced by what it brings. Lines are those of the dump.
 * A text without headings is one file.
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
