/**
 * Replaces the lines between the markers `# generated: <name>` and `# end`, at the indentation of the first.
 * @throws Error when the markers and the names of `blocks` differ
 */
export function withBlocks(file: string, blocks: Readonly<Record<string, () => readonly string[]>>): string {
  const unused = new Set(Object.keys(blocks));
  const text = file.replace(/( *)# generated: (\w+)\n[\s\S]*?# end\n/g, (_, indent: string, name: string) => {
    const lines = blocks[name];
    if (!lines) throw new Error(`there is no block "${name}"`);
    unused.delete(name);
    return [`# generated: ${name}`, ...lines(), '# end'].map((line) => `${indent}${line}\n`).join('');
  });
  if (unused.size > 0) throw new Error(`the file has no marker for ${[...unused].join(', ')}`);
  return text;
}
