import { certificate, type RealServer } from './server.ts';

export const xrdp: RealServer = {
  name: 'xrdp',
  needs: { '/usr/sbin/xrdp': 'xrdp', '/etc/xrdp': 'xrdp', '/usr/bin/openssl': 'openssl' },
  protocols: ['rdp'],
  serve: (environment) => {
    const { log, ports, write } = environment;
    const { key, certificate: file } = certificate(environment, 'rdp.example');
    const settings = `[Globals]
port=tcp://127.0.0.1:${ports.rdp}
security_layer=negotiate
certificate=${file}
key_file=${key}
ssl_protocols=TLSv1.2, TLSv1.3
fork=true
[Logging]
LogFile=${log}
LogLevel=INFO
`;
    return { program: '/usr/sbin/xrdp', args: ['-n', '-c', write('xrdp.ini', settings)] };
  },
};
