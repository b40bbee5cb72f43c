/**
 * Where the servers of each log format write, on Debian, Ubuntu, Fedora and Arch: their packages, and the installation
 * guides of Gitea, Forgejo and Nextcloud. `tcp-guard init host` looks there.
 */
export interface LogPlace {
  /** A format of `intake`. */
  readonly format: string;
  /** What the lines are of, for a comment. */
  readonly title: string;
  /** Units of systemd that write to the journal. A socket with `Accept=yes` starts instances of `name@.service`. */
  readonly units?: RegExp;
  /** Globs of files. Where one exists, the units are not read: a line would count twice. */
  readonly files?: readonly string[];
  /** Ports of the servers, for the list of ports that no source covers. */
  readonly ports: readonly number[];
  /** A condition, where the server writes such lines only with a setting. The source is then a comment in the file. */
  readonly unless?: string;
  /** How the program makes its log readable, where a package of a distribution does not. It holds over rotation. */
  readonly fix?: string;
}

const web = [80, 443];
const forges = ['/var/log', '/var/lib'];

export const logPlaces: readonly LogPlace[] = [
  { format: 'sshd', title: 'OpenSSH', units: /^sshd?(?:@)?\.service$/, ports: [22] },
  { format: 'dovecot', title: 'Dovecot', units: /^dovecot\.service$/, ports: [110, 143, 993, 995, 4190] },
  { format: 'postfix', title: 'Postfix', units: /^postfix(?:@.+)?\.service$/, ports: [25, 465, 587] },
  {
    format: 'exim',
    title: 'Exim',
    files: ['/var/log/exim4/mainlog', '/var/log/exim/main.log'],
    ports: [25, 465, 587],
  },
  {
    format: 'vsftpd',
    title: 'vsftpd',
    files: ['/var/log/vsftpd.log'],
    units: /^vsftpd\.service$/,
    ports: [21],
    fix: 'write "create 640 root adm" in /etc/logrotate.d/vsftpd, and run logrotate --force /etc/logrotate.d/vsftpd',
  },
  {
    format: 'apache',
    title: 'basic authentication of Apache',
    files: ['/var/log/apache2/error.log', '/var/log/httpd/error_log'],
    ports: web,
  },
  {
    format: 'nginx',
    title: 'basic authentication of nginx, which logs in the format combined',
    files: ['/var/log/nginx/access.log'],
    ports: web,
  },
  {
    format: 'nextcloud',
    title: 'Nextcloud',
    files: ['/var/www/*/data/nextcloud.log', '/var/www/html/*/data/nextcloud.log', '/var/nextcloud/data/nextcloud.log'],
    ports: web,
    fix: 'set logfilemode to 0644 in config.php, and make the data folder accessible (chmod o+x)',
  },
  {
    format: 'gitea',
    title: 'Gitea or Forgejo',
    files: ['gitea', 'forgejo'].flatMap((name) => forges.map((folder) => `${folder}/${name}{,/log}/access.log`)),
    ports: [3000],
  },
  {
    format: 'wordpress',
    title: 'WordPress',
    unless: 'if a site of this server runs it',
    files: ['/var/log/nginx/access.log', '/var/log/apache2/access.log', '/var/log/httpd/access_log'],
    ports: web,
  },
  {
    format: 'vaultwarden',
    title: 'Vaultwarden',
    unless: 'if a site of this proxy is Vaultwarden',
    files: [
      ...['/var/log/caddy/*.log', '/var/log/traefik/access.log', '/var/log/nginx/access.log'],
      ...['/var/log/apache2/access.log', '/var/log/httpd/access_log'],
    ],
    ports: web,
  },
  { format: 'proxmox', title: 'Proxmox VE', units: /^pvedaemon\.service$/, ports: [8006] },
  {
    format: 'gitlab',
    title: 'GitLab',
    files: ['/var/log/gitlab/gitlab-rails/application_json.log', '/home/git/gitlab/log/application_json.log'],
    ports: web,
    fix: 'let the user guard read it with an ACL: setfacl -m u:guard:r on the file, and setfacl -d -m u:guard:r on its folder',
  },
  {
    format: 'jellyfin',
    title: 'Jellyfin',
    unless: 'if its logging.json has the JSON formatter: in its text log clients can write such lines',
    units: /^jellyfin\.service$/,
    ports: [8096, 8920],
  },
  {
    format: 'keycloak',
    title: 'Keycloak',
    unless: 'if its log is in JSON',
    units: /^keycloak\.service$/,
    ports: [8080, 8443],
  },
  {
    format: 'mongodb',
    title: 'MongoDB',
    files: ['/var/log/mongodb/mongod.log'],
    units: /^mongod\.service$/,
    ports: [27017],
  },
  {
    format: 'mosquitto',
    title: 'Mosquitto 2.1 or later',
    files: ['/var/log/mosquitto/mosquitto.log'],
    units: /^mosquitto\.service$/,
    ports: [1883, 8883],
  },
  {
    format: 'prosody',
    title: 'Prosody with mod_log_auth',
    files: ['/var/log/prosody/prosody.log'],
    units: /^prosody\.service$/,
    ports: [5222, 5223],
  },
  {
    format: 'openvpn',
    title: 'OpenVPN with user names',
    units: /^openvpn(?:-server)?@.+\.service$/,
    ports: [1194],
  },
  {
    format: 'access',
    title: 'requests to Caddy that the policy blocks',
    files: ['/var/log/caddy/*.log'],
    ports: web,
    fix: 'set "mode 0644" in "output file" of the Caddyfile, and reload Caddy: it makes its logs with mode 0600',
  },
  {
    format: 'access',
    title: 'requests to Traefik that the policy blocks',
    files: ['/var/log/traefik/access.log'],
    ports: web,
  },
  {
    format: 'access',
    title: 'requests to nginx that the policy blocks',
    files: ['/var/log/nginx/access.log'],
    ports: web,
  },
  {
    format: 'access',
    title: 'requests to Apache that the policy blocks',
    files: ['/var/log/apache2/access.log', '/var/log/httpd/access_log'],
    ports: web,
  },
];
