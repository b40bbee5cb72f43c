/** Returns why the commit cannot be released under this tag and what to do, or undefined when it can be released. */
export function problemOfTag(tag: string, version: string, isPublished: boolean): string | undefined {
  if (tag !== `v${version}`)
    return `the tag ${JSON.stringify(tag)} is not that of version ${version} in package.json. Tag the commit with v${version}, or change the version.`;
  if (!isPublished)
    return 'the pages and commands of this commit say that nothing is published. Set isPublished in platform/assets.ts to true, run `npm run generate`, and tag that commit.';
  return undefined;
}
