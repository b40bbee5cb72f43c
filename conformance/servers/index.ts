import type { Protocol } from '../../contract/daemon/protocols.ts';
import { dovecot } from './dovecot.ts';
import { mariadb } from './mariadb.ts';
import { mosquitto } from './mosquitto.ts';
import { nginx } from './nginx.ts';
import { openssh } from './openssh.ts';
import { postfix } from './postfix.ts';
import { pgbouncer, postgres } from './postgres.ts';
import { pyftpdlib, twisted } from './python.ts';
import { redis } from './redis.ts';
import type { Login, RealServer } from './server.ts';
import { slapd } from './slapd.ts';
import { tightvnc } from './vnc.ts';
import { vsftpd } from './vsftpd.ts';

const servers: readonly RealServer[] = [
  ...[openssh, vsftpd, postfix, dovecot, postgres, pgbouncer, mariadb, redis, mosquitto, slapd, nginx, tightvnc],
  ...[pyftpdlib, ...twisted],
];

/** Servers with a client that logs in, once for each protocol. */
export const logins = servers.flatMap((server) =>
  (Object.entries(server.logins ?? {}) as [Protocol, Login][]).map(([protocol, login]) => ({
    server,
    protocol,
    login,
  })),
);
