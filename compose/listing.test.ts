import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseListing } from './listing.ts';

/** Lines of docker-compose 5.5.1, without the fields that are not read. */
const lines = [
  '{"ID":"5112d652e363","Labels":"com.docker.compose.service=collector","Ports":"127.0.0.1:4317-4318->4317-4318/tcp","Publishers":[{"URL":"127.0.0.1","TargetPort":4317,"PublishedPort":4317,"Protocol":"tcp"},{"URL":"127.0.0.1","TargetPort":4318,"PublishedPort":4318,"Protocol":"tcp"}],"Service":"collector","State":"running"}',
  '{"ID":"fed95cd85d31","Labels":"","Ports":"","Publishers":null,"Service":"loki","State":"exited"}',
].join('\n');

/** Output before 2.21: the same documents in an array. A port that is not published is 0. */
const array =
  '[{"ID":"a1","Name":"p-loki-1","Service":"loki","State":"running","Publishers":[{"URL":"","TargetPort":3100,"PublishedPort":0,"Protocol":"tcp"}]}]';

/** Podman's own listing, which podman-compose prints. */
const podman =
  '[{"Id":"c0ffee","Labels":{"com.docker.compose.service":"loki","io.podman.compose.project":"p"},"Names":["p_loki_1"],"Ports":[{"host_ip":"127.0.0.1","container_port":3100,"host_port":3100,"range":1,"protocol":"tcp"}],"State":"running"}]';

describe('the listing of a project', () => {
  for (const [name, text, expected] of [
    [
      'of Docker, one document a line',
      lines,
      [
        { id: '5112d652e363', service: 'collector', state: 'running', ports: [4317, 4318] },
        { id: 'fed95cd85d31', service: 'loki', state: 'exited', ports: [] },
      ],
    ],
    ['of older versions, one array', array, [{ id: 'a1', service: 'loki', state: 'running', ports: [] }]],
    ['of Podman', podman, [{ id: 'c0ffee', service: 'loki', state: 'running', ports: [3100] }]],
    ['without containers', '\n', []],
    ['without containers, as an array', '[]\n', []],
  ] as const)
    it(`is read ${name}`, () => assert.deepEqual(parseListing(text), expected));
});
