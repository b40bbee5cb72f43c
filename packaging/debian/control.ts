export interface Product {
  readonly name: string;
  /** Packages that its programs and its maintainer scripts need. */
  readonly depends: readonly string[];
  readonly recommends?: string;
  readonly suggests?: string;
  /** An earlier package whose files, configuration and state this one takes over. */
  readonly replaces?: string;
  readonly section: string;
  readonly description: string;
}

export interface Control {
  readonly version: string;
  readonly architecture: string;
  /** Size of the installed files in KiB. */
  readonly installedSize: number;
}

/**
 * Converts a version of npm. Debian sorts `~` before everything else, so `1.0.0~rc.1` comes before `1.0.0`. The
 * revision counts builds of a version.
 */
export const debianVersion = (version: string): string => `${version.replace('-', '~')}-1`;

export const maintainer = 'The Request Guard authors <maintainers@request-guard.example>';

/** Returns the control file. Its first line of the description is the short one. */
export const controlFile = (
  { name, depends, recommends, suggests, replaces, section, description }: Product,
  { version, architecture, installedSize }: Control,
): string => {
  const fields = {
    Package: name,
    Version: debianVersion(version),
    Architecture: architecture,
    Maintainer: maintainer,
    'Installed-Size': installedSize,
    Depends: depends.join(', '),
    Recommends: recommends,
    Suggests: suggests,
    Breaks: replaces,
    Replaces: replaces,
    Provides: replaces && `${replaces} (= ${debianVersion(version)})`,
    Section: section,
    Priority: 'optional',
    Description: description,
  };
  const lines = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return lines.map(([field, value]) => `${field}: ${value}\n`).join('');
};
