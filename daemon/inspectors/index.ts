/** The inspectors, by protocol. */
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { dns } from './dns.ts';
import { ftp } from './ftp.ts';
import { generic } from './generic.ts';
import { http } from './http.ts';
import { imap } from './imap.ts';
import type { Inspector } from './inspector.ts';
import { ldap } from './ldap.ts';
import { minecraft } from './minecraft.ts';
import { mongodb } from './mongodb.ts';
import { mqtt } from './mqtt.ts';
import { mysql } from './mysql.ts';
import { pop3 } from './pop3.ts';
import { postgres } from './postgres.ts';
import { rdp } from './rdp.ts';
import { redis } from './redis.ts';
import { smtp } from './smtp.ts';
import { ssh } from './ssh.ts';
import { tls } from './tls.ts';
import { vnc } from './vnc.ts';

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
