// Subscribers in a process of their own: argument 1 is the address of the service, 2 the number of subscribers, 3 the
// number of events for each. Prints "ready" once all are subscribed, and "received all" once all have received their
// events.
import {once} from 'node:events';
import {get} from 'node:http';

const EVENT = 'event: entry-written';
const [, , url = '', count = '1', events = '1'] = process.argv;
const expected = Number(count) * Number(events);
let received = 0;

await Promise.all(
  Array.from({length: Number(count)}, async () => {
    const [response] = await once(get(`${url}/api/events?prefix=bench/`, {agent: false}), 'response');
    if (response.statusCode !== 200) throw new Error(`Cannot subscribe: ${response.statusCode}`);
    let rest = '';
    response.setEncoding('latin1');
    response.on('data', text => {
      const parts = (rest + text).split(EVENT);
      received += parts.length - 1;
      // An event may be split over two chunks.
      rest = parts.at(-1).slice(1 - EVENT.length);
      if (parts.length > 1 && received === expected) process.stdout.write('received all\n');
    });
  }),
);
process.stdout.write('ready\n');
process.once('SIGTERM', () => process.exit());
