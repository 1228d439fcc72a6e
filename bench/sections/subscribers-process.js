// Subscribers in a process of their own: argument 1 is the address of the service, 2 how many they are. Says "ready" once
// all of them listen, and how many events they heard when it is asked to stop.
import {once} from 'node:events';
import {get} from 'node:http';

const [, , url = '', count = '1'] = process.argv;
let heard = 0;

const responses = await Promise.all(
  Array.from({length: Number(count)}, async () => {
    const [response] = await once(get(`${url}/api/events?prefix=bench/`, {agent: false}), 'response');
    response.setEncoding('latin1');
    response.on('data', text => {
      heard += text.split('event: entry-written').length - 1;
    });
    return response;
  }),
);
process.stdout.write('ready\n');
process.once('SIGTERM', () => {
  process.stdout.write(`${heard}\n`);
  for (const response of responses) response.destroy();
});
