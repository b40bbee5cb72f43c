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

/** Packages that the Node in the package and the maintainer scripts need. */
const dependencies = ['libc6 (>= 2.28)', 'libstdc++6', 'libatomic1', 'adduser', 'init-system-helpers (>= 1.52)'];

export const controlFile = ({ version, architecture, installedSize }: Control): string => `Package: tcp-guard
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${installedSize}
Depends: ${dependencies.join(', ')}
Recommends: nftables
Suggests: logrotate, crowdsec
Section: net
Priority: optional
Description: layer-4 guard in front of SSH, mail servers and databases
 tcp-guard relays TCP connections. It detects failed logins, bans their
 addresses, limits rates, enforces decisions of CrowdSec, and has an HTTP API.
 guardcli lists bans and shows what logs would ban.
`;
