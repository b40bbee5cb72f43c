import { artefacts } from '../../artefacts/artefacts.ts';
import { manifest } from '../../platform/assets.ts';
import { command } from '../program/command.ts';

export interface VersionResult {
  readonly version: string;
  readonly runtime: { readonly node: string; readonly v8: string; readonly platform: string; readonly arch: string };
  readonly engine: { readonly re2: string };
  /** Version of each library except re2, and of each component of sandbox images, by name. */
  readonly components: Readonly<Record<string, string>>;
}

export const definition = command<Record<string, never>, VersionResult>({
  examples: [
    { line: 'guardcli version', note: 'only the version' },
    { line: 'guardcli version --json', note: 'with the versions of runtime, engine and components' },
  ],
  configure: (parser) => parser,
  async run() {
    const { version, dependencies } = manifest();
    const { re2 = 'absent', ...libraries } = dependencies;
    const pins = Object.values(artefacts).map((artefact) => artefact.pins);
    return {
      version,
      runtime: { node: process.versions.node, v8: process.versions.v8, platform: process.platform, arch: process.arch },
      engine: { re2 },
      components: Object.assign({}, libraries, ...pins) as Record<string, string>,
    };
  },
  text: ({ version }) => version,
});
