/** The inspectors, by protocol. */
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { ftp } from './ftp.ts';
import { generic } from './generic.ts';
import { http } from './http.ts';
import { imap } from './imap.ts';
import type { Inspector } from './inspector.ts';
import { mysql } from './mysql.ts';
import { pop3 } from './pop3.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';
import { smtp } from './smtp.ts';
import { tls } from './tls.ts';

export const inspectors: Readonly<Record<Protocol, Inspector>> = {
  generic,
  ssh: generic,
  tls,
  http,
  smtp,
  imap,
  pop3,
  ftp,
  postgres,
  mysql,
  redis,
  mongodb: generic,
  mqtt: generic,
  ldap: generic,
  vnc: generic,
  rdp: generic,
  dns: generic,
  minecraft: generic,
};
