/** The sections of the page about applications. */
import { fileCategories, fileRules } from '../policy/applications.ts';
import type { Profile } from '../policy/profiles.ts';
import { inlineCode, table } from './markdown.ts';
import { profileFolder, readProfiles } from './profile-table.ts';

const rulesText = (rules: Profile['passages'][number]['rules']): string =>
  rules === 'files' ? 'names of files' : rules.map(inlineCode).join(', ');

function passageTable({ passages }: Profile): string {
  if (passages.length === 0) return 'No rule blocks what it serves; the profile has no exception.\n';
  const rows = passages.map(({ path, rules, why, examples }) => [
    inlineCode(path),
    rulesText(rules),
    why,
    examples.map(inlineCode).join(' '),
  ]);
  return table(
    ['path below the base path', 'rules that are off', 'what is there', 'blocked without the profile'],
    rows,
  );
}

function caddyfile({ name, upstream, basePaths }: Profile): string {
  const host = `${name}.example.com`;
  const route = basePaths[0] === '/' ? 'reverse_proxy' : `reverse_proxy ${basePaths[0]}/*`;
  return `\`\`\`text
${host} {
	guard {
		application ${name} {
			hosts ${host}
		}
	}
	${route} ${upstream}
}
\`\`\``;
}

function section(profile: Profile): string {
  const { name, product, basePaths, source } = profile;
  const bases = basePaths.map(inlineCode).join(', ');
  return `## ${product}\n\nProfile ${inlineCode(name)}. Usual base paths, the first one by default: ${bases}. Source: ${source}.\n\n${caddyfile(profile)}\n\n${passageTable(profile)}`;
}

export const applicationTables = {
  'file-rules': () =>
    `"names of files" means the ${fileRules.length} rules of the categories ${fileCategories.map(inlineCode).join(', ')}.`,
  'profile-names': () =>
    `The profiles are ${readProfiles(profileFolder)
      .map(({ name }) => inlineCode(name))
      .join(', ')}.`,
  applications: () => readProfiles(profileFolder).map(section).join('\n\n'),
} as const;
