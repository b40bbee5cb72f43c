/** The table of log formats that the project knows. */
import type { LogFormat } from './format.ts';
import apache from './formats/apache.json' with { type: 'json' };
import dovecot from './formats/dovecot.json' with { type: 'json' };
import exim from './formats/exim.json' with { type: 'json' };
import gitea from './formats/gitea.json' with { type: 'json' };
import gitlab from './formats/gitlab.json' with { type: 'json' };
import immich from './formats/immich.json' with { type: 'json' };
import jellyfin from './formats/jellyfin.json' with { type: 'json' };
import keycloak from './formats/keycloak.json' with { type: 'json' };
import mongodb from './formats/mongodb.json' with { type: 'json' };
import mosquitto from './formats/mosquitto.json' with { type: 'json' };
import nextcloud from './formats/nextcloud.json' with { type: 'json' };
import nginx from './formats/nginx.json' with { type: 'json' };
import openvpn from './formats/openvpn.json' with { type: 'json' };
import postfix from './formats/postfix.json' with { type: 'json' };
import postgresql from './formats/postgresql.json' with { type: 'json' };
import prosody from './formats/prosody.json' with { type: 'json' };
import proxmox from './formats/proxmox.json' with { type: 'json' };
import sshd from './formats/sshd.json' with { type: 'json' };
import vaultwarden from './formats/vaultwarden.json' with { type: 'json' };
import vsftpd from './formats/vsftpd.json' with { type: 'json' };
import wordpress from './formats/wordpress.json' with { type: 'json' };
import { ownFormats } from './names.ts';

export const logFormats = [
  apache,
  dovecot,
  exim,
  gitea,
  gitlab,
  immich,
  jellyfin,
  keycloak,
  mongodb,
  mosquitto,
  nextcloud,
  nginx,
  openvpn,
  postfix,
  postgresql,
  prosody,
  proxmox,
  sshd,
  vaultwarden,
  vsftpd,
  wordpress,
] as readonly LogFormat[];

/**
 * Returns the formats of the project and of the user's files by name. @throws Error when a name is used twice
 */
export function tableOf(
  files: readonly { readonly name: string; readonly formats: readonly LogFormat[] }[],
): ReadonlyMap<string, LogFormat> {
  const table = new Map(logFormats.map((format) => [format.name, format]));
  const reserved: readonly string[] = ownFormats;
  for (const { name: file, formats } of files)
    for (const format of formats) {
      if (table.has(format.name) || reserved.includes(format.name))
        throw new Error(`${file}: the name ${format.name} is already that of a format: choose another one`);
      table.set(format.name, format);
    }
  return table;
}
