/** Words of other tools, each with the words that replace it here. Of these, the first that is possible is meant. */
const replacements: Readonly<Record<string, readonly string[]>> = {
  // Keys of fail2ban
  maxretry: ['after', 'ban_after_failures'],
  findtime: ['window', 'failure_window'],
  bantime: ['ban_duration'],
  ignoreip: ['never_ban'],
  logpath: ['file'],
  journalmatch: ['unit'],
  filter: ['format'],
  // What happens to a request or to a client
  ...{ deny: ['block'], drop: ['block'], reject: ['block'], permit: ['allow'], pass: ['allow'] },
  ...{ monitor: ['detect'], simulate: ['detect'], detectiononly: ['detect'], blocking: ['enforce'] },
  ...{ iptables: ['host'], nftables: ['host'], firewall: ['host'] },
  // Protocols that are TLS from the first byte, and other names of protocols
  ...{ https: ['tls'], imaps: ['tls'], pop3s: ['tls'], smtps: ['tls'], ldaps: ['tls'], mqtts: ['tls'] },
  ...{ tcp: ['generic'], mariadb: ['mysql'], postgresql: ['postgres'] },
  // Logs
  ...{ caddy: ['access'], traefik: ['access'], json: ['access'], combined: ['access'] },
  ...{ ssh: ['sshd'], openssh: ['sshd'] },
};

export function synonymsOf(word: string): readonly string[] {
  const name = word.toLowerCase();
  return Object.hasOwn(replacements, name) ? (replacements[name] ?? []) : [];
}
