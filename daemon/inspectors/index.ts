/** The inspectors, by protocol. */
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { generic } from './generic.ts';
import type { Inspector } from './inspector.ts';
import { postgres } from './postgres.ts';
import { smtp } from './smtp.ts';

export const inspectors: Readonly<Record<Protocol, Inspector>> = {
  generic,
  ssh: generic,
  tls: generic,
  http: generic,
  smtp,
  imap: generic,
  pop3: generic,
  ftp: generic,
  postgres,
  mysql: generic,
  redis: generic,
  mongodb: generic,
  mqtt: generic,
  ldap: generic,
  vnc: generic,
  rdp: generic,
  dns: generic,
  minecraft: generic,
};
