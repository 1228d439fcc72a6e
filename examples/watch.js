// Shows the entries under a prefix and follows what changes, until Ctrl+C. The service may be started again meanwhile.
// Run it: node examples/watch.js [PREFIX [URL]]
// @ts-check
import {createClient} from 'crewroom/client';

const [prefix = '', baseUrl = 'http://localhost:7172'] = process.argv.slice(2);
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());

const events = createClient({baseUrl}).events({
  prefix,
  initial: true,
  signal: controller.signal,
  onConnection: state => console.error(state.kind === 'lost' ? 'connection lost, trying again' : 'connected'),
});
for await (const event of events) {
  // What was missed is not known any more; everything that is there comes next.
  if (event.kind === 'reset') console.log('reset');
  else if (event.kind === 'identity-changed') console.log('identity changed');
  // The text is exact. Values larger than 64 KiB do not come with the event: entries.get() has them.
  else if (event.kind === 'entry-written') console.log('written', event.key, event.text ?? `${event.sizeBytes} bytes`);
  else console.log(event.kind === 'entry-expired' ? 'expired' : 'deleted', event.key);
}
// With this as since the next run would begin where this one ended.
console.error('cursor', events.cursor);
