import { type RealServer, right } from './server.ts';

/** OpenSSH. Its session prints as much as a shell, because the inspector counts the bytes of the server. */
export const ssh: RealServer = {
  name: 'OpenSSH with ssh',
  protocol: 'ssh',
  options: { ban_on_probable: true },
  isProbable: true,
  hidesPassword: true,
  programs: ['/usr/sbin/sshd', '/usr/bin/ssh', '/usr/bin/ssh-keygen'],
  serve: ({ folder, port, write, run }) => {
    for (const name of ['host', right, 'wrong-password'])
      run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', `${folder}/${name}`);
    run('install', '-d', '/run/sshd');
    const lines = [
      ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${folder}/host`, 'PidFile none', 'UsePAM no'],
      ...['StrictModes no', 'PermitRootLogin yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
      ...[`AuthorizedKeysFile ${folder}/${right}.pub`, 'MaxStartups 100'],
    ];
    const file = write('sshd_config', `${lines.join('\n')}\n`);
    return { program: '/usr/sbin/sshd', args: ['-D', '-e', '-f', file] };
  },
  login: (port, password, { folder }) => {
    const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes', 'BatchMode=yes'];
    const all = [...options, 'ConnectTimeout=60', 'IdentityAgent=none'].flatMap((one) => ['-o', one]);
    return {
      program: '/usr/bin/ssh',
      args: [
        '-F',
        'none',
        ...all,
        '-i',
        `${folder}/${password}`,
        '-p',
        `${port}`,
        '127.0.0.1',
        'head -c 8192 /dev/zero',
      ],
    };
  },
};

/** vsftpd. Anonymous users with a listed password may write to `files/in`. No account of the machine is used. */
export const ftp: RealServer = {
  name: 'vsftpd with curl',
  protocol: 'ftp',
  programs: ['/usr/sbin/vsftpd', '/usr/bin/curl'],
  serve: ({ folder, port, write, run }) => {
    run('install', '-d', '-m', '0555', `${folder}/files`, `${folder}/empty`);
    run('install', '-d', '-o', 'ftp', `${folder}/files/in`);
    const passwords = write('passwords', `${right}\n`);
    const settings = {
      ...{ listen: 'YES', listen_address: '127.0.0.1', listen_port: port, background: 'NO', seccomp_sandbox: 'NO' },
      ...{ anonymous_enable: 'YES', secure_email_list_enable: 'YES', email_password_file: passwords },
      ...{ write_enable: 'YES', anon_upload_enable: 'YES', anon_umask: '022' },
      ...{ anon_root: `${folder}/files`, secure_chroot_dir: `${folder}/empty`, delay_failed_login: 0 },
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    return { program: '/usr/sbin/vsftpd', args: [write('vsftpd.conf', lines.join(''))] };
  },
  login: (port, password) => ({
    program: '/usr/bin/curl',
    args: ['-sS', '--max-time', '60', '--user', `anonymous:${password}`, `ftp://127.0.0.1:${port}/`],
  }),
};
