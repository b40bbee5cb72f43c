/** Servers and clients that tcp-guard is tested with; none of their services is started. */
import { existsSync } from 'node:fs';
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian } from './debian.ts';
import { withoutStarting } from './without-starting.ts';

/** One program of each package that matters. */
const programs = [
  ...['/usr/sbin/sshd', '/usr/bin/ssh', '/usr/sbin/vsftpd', '/usr/lib/dovecot/imap', '/usr/lib/dovecot/pop3'],
  ...['/usr/bin/psql', '/usr/lib/postgresql', '/usr/sbin/mariadbd', '/usr/bin/mariadb', '/usr/bin/curl'],
  ...['/usr/bin/redis-server', '/usr/bin/redis-cli', '/usr/sbin/mosquitto', '/usr/bin/mosquitto_pub'],
  ...['/usr/sbin/slapd', '/usr/bin/ldapwhoami', '/usr/sbin/logrotate'],
  ...['/usr/bin/Xtightvnc', '/usr/bin/tightvncpasswd', '/usr/share/fonts/X11/misc/fonts.dir', '/usr/bin/vncsnapshot'],
  ...['/usr/sbin/xrdp', '/usr/sbin/hping3', '/usr/bin/ip'],
];

/** Debian has room for one mail server: another one of the user's stays, and the test of Postfix says what it lacks. */
const lacksMail = (): boolean => !existsSync('/usr/sbin/sendmail');

export const servers: Task = {
  name: 'servers',
  does: 'installing servers and clients of inspected protocols',
  needs: [],
  done: () => programs.every(existsSync) && !lacksMail(),
  run: async (context) => {
    if (!canInstall()) throw new Unavailable('servers of inspected protocols are not installed');
    await withoutStarting(async () => {
      await installDebian('servers', context);
      if (lacksMail()) await installDebian('mail', context);
    });
    return undefined;
  },
  mend: `install what has these programs, then run the same command again: ${programs.join(' ')}`,
};
