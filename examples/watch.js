// Shows the entries under a prefix and follows their changes, until Ctrl+C. The service may restart meanwhile. Run it:
// node examples/watch.js [PREFIX [URL]]
// @ts-check
import {createClient} from 'crewroom/client';

const [prefix = '', baseUrl = 'http://localhost:7172'] = process.argv.slice(2);
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());

const events = createClient({baseUrl}).events({
  prefix,
  initial: true,
  signal: controller.signal,
  onConnection: state => console.error(state.kind === 'lost' ? 'connection lost, retrying' : 'connected'),
});
for await (const event of events) {
  // The missed changes are no longer available; all present entries follow.
  if (event.kind === 'reset') console.log('reset');
  else if (event.kind === 'initial-ended') console.log('all present entries are above');
  else if (event.kind === 'identity-changed') console.log('identity changed');
  // The text is exact. Events leave out values larger than 64 KiB: entries.get() has them.
  else if (event.kind === 'entry-written') console.log('written', event.key, event.text ?? `${event.sizeBytes} bytes`);
  else console.log(event.kind === 'entry-expired' ? 'expired' : 'deleted', event.key);
}
// With this as `after` the next run would continue where this one ended.
console.error('cursor', events.cursor);
