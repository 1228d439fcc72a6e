import {once} from 'node:events';
import {connect} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {countPromises} from '../support/count-promises.ts';
import {formatRequest} from '../support/raw-client.ts';
import {useService} from '../support/service.ts';

const service = useService();

/**
 * Maximum for one request: one for each of exchange, handler, route, entries and commit, with what they wait for; those of a group of
 * commits; and two of this test. One more asynchronous function would make two.
 */
const PROMISES_MAX = 34;

test(`a write over HTTP makes at most ${PROMISES_MAX} promises`, async () => {
  const socket = connect(service().port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const request = formatRequest('POST /api/store/a', [`Host: localhost:${service().port}`], '{"a": 1}');
  const statuses = new Set<string | undefined>();
  const promises = await countPromises(() => {
    socket.write(request);
    return new Promise<void>(resolve => {
      socket.once('data', chunk => {
        statuses.add(String(chunk).split('\r\n', 1)[0]);
        resolve();
      });
    });
  });
  expect(statuses).toEqual(new Set(['HTTP/1.1 200 OK']));
  expect(promises).toBeLessThanOrEqual(PROMISES_MAX);
});
