import { maintainer } from '../debian/control.ts';

export interface Spec {
  /** A version of npm. */
  readonly version: string;
  /** The folder whose contents the package gets. */
  readonly root: string;
  /** Paths of files, and of folders with everything in them, without a slash at the start. */
  readonly paths: readonly string[];
  readonly summary: string;
}

/** Converts a version of npm. Both dpkg and rpm sort `~` before everything else. */
export const rpmVersion = (version: string): string => version.replace('-', '~');

/** Folders that the daemon writes to, with the modes of its unit. Fedora owns the others. */
const folders = `%dir %attr(0750,root,guard) /etc/guard
%config(noreplace) %attr(0640,root,guard) /etc/guard/tcp-guard.yaml
%config(noreplace) /etc/logrotate.d/tcp-guard
%dir %attr(0700,guard,guard) /var/lib/guard
%dir %attr(0755,guard,guard) /var/lib/guard-bans
%dir %attr(0751,guard,guard) /var/log/guard`;

/**
 * The scripts follow Fedora's guidelines: the preset of the distribution decides whether the service is enabled, and the
 * first installation does not start it. $1 is the number of versions that stay installed.
 */
const scripts = `%pre
getent group guard >/dev/null || groupadd --system guard
getent passwd guard >/dev/null || useradd --system --gid guard --home-dir /var/lib/guard --no-create-home \\
	--shell /usr/sbin/nologin --comment 'Request Guard' guard

%post
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload || :
[ "$1" -gt 1 ] || systemctl --no-reload preset tcp-guard.service || :

%preun
[ "$1" -eq 0 ] && [ -d /run/systemd/system ] || exit 0
systemctl --no-reload disable --now tcp-guard.service || :
# Bans of a host stay in the firewall when the daemon stops. Without the package nothing would lift them.
if nft --terse list table inet request_guard 2>/dev/null | grep -q '^	chain bans_[0-9a-f]* {$'; then
	nft delete table inet request_guard || :
fi

%postun
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload || :
[ "$1" -eq 0 ] || systemctl try-restart tcp-guard.service || :`;

/** Returns the file that rpmbuild reads. The programs are complete: nothing is stripped, and no dependency is guessed. */
export const specText = ({ version, root, paths, summary }: Spec): string => `Name: request-guard
Version: ${rpmVersion(version)}
Release: 1
Summary: ${summary}
License: MIT
Packager: ${maintainer}
Requires: glibc >= 2.28, libstdc++, libatomic, systemd, shadow-utils
Recommends: nftables
Suggests: logrotate
AutoReqProv: no
%global __os_install_post %{nil}
%global _build_id_links none

%description
guardcli evaluates access logs and requests against a policy, and writes the
configuration of Caddy, Traefik and nginx. tcp-guard bans clients by the logs of
servers, or relays TCP connections. Both run with the Node of this package.

%install
mkdir -p %{buildroot}
cp -a ${root}/. %{buildroot}

${scripts}

%files
%defattr(-,root,root)
${folders}
${paths.map((path) => `/${path}`).join('\n')}
`;
