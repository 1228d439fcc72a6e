// Crewroom inside another program: the same store, identity and guard as `crewroom start`.
// Run it: node examples/embed.js
// @ts-check
import {AppError, openCrewroom} from 'crewroom';

const crewroom = await openCrewroom({store: 'memory', port: 0});
try {
  // The store, without HTTP.
  const {revision} = await crewroom.entries.put('com.example.hello/greeting', 'Good morning');
  const entry = await crewroom.entries.get('com.example.hello/greeting');
  console.log('stored', entry?.text);

  // A writer that expects an older revision is refused, and learns the current one.
  try {
    await crewroom.entries.put('com.example.hello/greeting', 'Good night', {expected: revision + 1});
  } catch (error) {
    if (!AppError.is(error)) throw error;
    console.log('refused', error.code);
  }

  // The HTTP service: this is what plugins call.
  const {port} = await crewroom.listen();
  const answer = await fetch(`http://127.0.0.1:${port}/api/identity`);
  const identity = /** @type {import('crewroom').IdentityDocument} */ (await answer.json());
  console.log('served', identity.va_user.firstName);

  // The same without a socket: for the catch-all route of a framework, or for tests. The guard is the same too.
  const response = await crewroom.fetch(new Request(`${crewroom.url}/api/identity`));
  const refused = await crewroom.fetch(new Request('http://evil.example/api/identity'));
  console.log('fetched', response.status, refused.status);
} finally {
  await crewroom[Symbol.asyncDispose]();
}
