import { type RealServer, right, user } from './server.ts';

export const mosquitto: RealServer = {
  name: 'Mosquitto',
  needs: {
    '/usr/sbin/mosquitto': 'mosquitto',
    '/usr/bin/mosquitto_passwd': 'mosquitto',
    '/usr/bin/mosquitto_pub': 'mosquitto-clients',
  },
  protocols: ['mqtt'],
  serve: ({ folder, ports, write, run }) => {
    const passwords = `${folder}/passwords`;
    run('mosquitto_passwd', '-b', '-c', passwords, user, right);
    run('chmod', '0644', passwords); // the server changes to its own account before it reads
    const settings = `listener ${ports.mqtt} 127.0.0.1\nallow_anonymous false\npassword_file ${passwords}\n`;
    return { program: '/usr/sbin/mosquitto', args: ['-c', write('mosquitto.conf', settings)] };
  },
  logins: {
    mqtt: {
      command: (port, password) => ({
        program: '/usr/bin/mosquitto_pub',
        args: ['-h', '127.0.0.1', '-p', `${port}`, '-u', user, '-P', password, '-t', 'probe', '-m', 'probe'],
      }),
    },
  },
};
