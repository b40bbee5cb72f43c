import { certificate, curl, type RealServer, right, type ServerEnvironment, user } from './server.ts';

const unusedPort = 9; // no server listens there
/** A page that requires the password. */
export const page = 'private/index.html';
const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

const configuration = ({ folder, log, ports }: ServerEnvironment) => `daemon off;
user root;
pid ${folder}/pid;
error_log ${log};
events {}
http {
  access_log ${log};
  ${temporaryFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${ports.http};
    listen 127.0.0.1:${ports.tls} ssl http2;
    server_name www.example;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    root ${folder}/pages;
    location /private/ {
      auth_basic "private";
      auth_basic_user_file ${folder}/passwords;
    }
    location /private/gone/ {
      proxy_pass http://127.0.0.1:${unusedPort}/;
    }
    location /private/closed/ {
      deny all;
      satisfy all;
    }
    location /private/often/ {
      return 429;
    }
  }
}
`;

export const nginx: RealServer = {
  name: 'nginx',
  needs: { '/usr/sbin/nginx': 'nginx-light', '/usr/bin/curl': 'curl', '/usr/bin/openssl': 'openssl' },
  protocols: ['http', 'tls'],
  serve: (environment) => {
    const { folder, write, run } = environment;
    run('install', '-d', `${folder}/pages/private`);
    for (const name of ['index.html', page]) write(`pages/${name}`, 'hello\n');
    write('passwords', `${user}:{PLAIN}${right}\n`); // compared without a hash function
    certificate(environment, 'www.example');
    return { program: '/usr/sbin/nginx', args: ['-p', folder, '-c', write('nginx.conf', configuration(environment))] };
  },
  logins: { http: { command: (port, password) => curl(`http://127.0.0.1:${port}/${page}`, password, '--fail') } },
};
