/**
 * vsftpd. Anonymous users with a listed password may write to `files/in`. An account of the machine is used only where a
 * client logs in with its name.
 */
import { type Command, certificate, type RealServer, right } from './server.ts';

/** Returns a command of curl for a path below the folder of anonymous users. */
export const curlAnonymously = (port: number, path: string, password: string, ...args: string[]): Command => ({
  program: '/usr/bin/curl',
  args: ['-sS', '--max-time', '60', '--user', `anonymous:${password}`, ...args, `ftp://127.0.0.1:${port}/${path}`],
});

export const vsftpd: RealServer = {
  name: 'vsftpd',
  needs: { '/usr/sbin/vsftpd': 'vsftpd', '/usr/bin/curl': 'curl', '/usr/bin/openssl': 'openssl' },
  protocols: ['ftp'],
  serve: (environment) => {
    const { folder, log, ports, write, run, address, failureDelay } = environment;
    run('install', '-d', '-m', '0555', `${folder}/files`, `${folder}/empty`);
    run('install', '-d', '-o', 'ftp', `${folder}/files/in`);
    const { key, certificate: file } = certificate(environment, 'ftp.example');
    const settings = {
      ...{
        listen: 'YES',
        listen_address: address,
        listen_port: ports.ftp,
        background: 'NO',
        seccomp_sandbox: 'NO',
      },
      ...{ anonymous_enable: 'YES', secure_email_list_enable: 'YES', email_password_file: write('passwords', right) },
      ...{ write_enable: 'YES', anon_upload_enable: 'YES', anon_umask: '022', local_enable: 'YES' },
      ...{ ssl_enable: 'YES', force_local_logins_ssl: 'NO', force_local_data_ssl: 'NO', allow_anon_ssl: 'YES' },
      ...{ rsa_cert_file: file, rsa_private_key_file: key, xferlog_enable: 'YES', vsftpd_log_file: log },
      ...{ anon_root: `${folder}/files`, secure_chroot_dir: `${folder}/empty`, delay_failed_login: failureDelay },
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    return { program: '/usr/sbin/vsftpd', args: [write('vsftpd.conf', lines.join(''))] };
  },
  logins: { ftp: { command: (port, password) => curlAnonymously(port, '', password) } },
};
