/** Images with programs that tests need and this machine may lack. See sandbox-images/test. */
import { lastLines } from '../../platform/command.ts';
import type { Task } from '../tasks/task.ts';

const image = (name: string, does: string): Task => ({
  name: `image-${name}`,
  does,
  needs: ['packages', 'containers', 'debian'],
  run: async ({ command, say, log }) => {
    const onText = (text: string): void => {
      log(text);
      say(lastLines(text, 1));
    };
    // Builds the image unless one with the same content exists.
    await command(process.execPath, ['scripts/in-test-image.ts', '--image', name, '--', 'true'], { onText });
    return undefined;
  },
  fix: 'check that the container runtime reaches the package archive of Debian, then run the same command again',
  background: true,
});

export const testImages: readonly Task[] = [
  image('light', 'building the test image with LuaJIT and nginx'),
  image('full', 'building the test image with servers, clients and a browser'),
  image('api', 'building the test image with Schemathesis'),
];
