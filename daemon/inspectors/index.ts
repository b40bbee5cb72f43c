import type { Protocol } from '../../contract/daemon/protocols.ts';
import { dns } from './dns/dns.ts';
import { ftp } from './ftp/ftp.ts';
import { generic } from './generic/generic.ts';
import { http } from './http/http.ts';
import { imap } from './imap/imap.ts';
import type { Inspector } from './inspector.ts';
import { ldap } from './ldap/ldap.ts';
import { minecraft } from './minecraft/minecraft.ts';
import { mongodb } from './mongodb/mongodb.ts';
import { mqtt } from './mqtt/mqtt.ts';
import { mysql } from './mysql/mysql.ts';
import { pop3 } from './pop3/pop3.ts';
import { postgres } from './postgres/postgres.ts';
import { rdp } from './rdp/rdp.ts';
import { redis } from './redis/redis.ts';
import { smtp } from './smtp/smtp.ts';
import { ssh } from './ssh/ssh.ts';
import { tls } from './tls/tls.ts';
import { vnc } from './vnc/vnc.ts';

export const inspectors: Readonly<Record<Protocol, Inspector>> = {
  generic,
  ssh,
  tls,
  http,
  smtp,
  imap,
  pop3,
  ftp,
  postgres,
  mysql,
  redis,
  mongodb,
  mqtt,
  ldap,
  vnc,
  rdp,
  dns,
  minecraft,
};

/** Protocols in which a client waits behind a login for its outcome. Others show none, or only after the session. */
export const waitingProtocols: ReadonlySet<Protocol> = new Set([
  'http',
  'smtp',
  'imap',
  'pop3',
  'ftp',
  'postgres',
  'mysql',
  'redis',
  'mongodb',
  'mqtt',
  'ldap',
  'vnc',
]);
