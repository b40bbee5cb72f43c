import { curl, type RealServer, right, user } from './server.ts';

const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export const http: RealServer = {
  name: 'nginx with curl',
  protocol: 'http',
  programs: ['/usr/sbin/nginx', '/usr/bin/curl'],
  serve: ({ folder, port, write }) => {
    const passwords = write('passwords', `${user}:{PLAIN}${right}\n`, 0o644);
    write('index.html', 'hello\n', 0o644);
    const places = temporaryFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
    const file = write(
      'nginx.conf',
      `daemon off;
user root;
pid ${folder}/pid;
error_log stderr;
events {}
http {
access_log off;
${places}
server {
listen 127.0.0.1:${port};
root ${folder};
auth_basic "probe";
auth_basic_user_file ${passwords};
}
}
`,
    );
    return { program: '/usr/sbin/nginx', args: ['-p', folder, '-c', file] };
  },
  login: (port, password) => curl(`http://127.0.0.1:${port}/index.html`, password, '--fail'),
};
