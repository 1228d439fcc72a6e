// Asks the keychain of the system, in a process of its own: the library may wait for ever while it connects, without
// anybody being able to end that. The request comes as JSON on standard input and the answer goes to standard output;
// arguments and environment, which others can see, hold nothing of it.
import {AsyncEntry} from '@napi-rs/keyring';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const {action, service, account, secret} = JSON.parse(Buffer.concat(chunks).toString());

try {
  // On Linux the Secret Service and nothing else: the keyring of the kernel, which would be taken in its place,
  // forgets everything when the machine stops.
  const entry = new AsyncEntry(service, account, {linux: {store: 'secret-service'}});
  process.stdout.write(JSON.stringify(await ask(entry)));
} catch (error) {
  process.stdout.write(JSON.stringify({problem: String(error?.message ?? error)}));
}

async function ask(entry) {
  switch (action) {
    case 'get':
      return {secret: (await entry.getPassword()) ?? undefined};
    case 'set':
      await entry.setPassword(secret);
      return {};
    case 'delete':
      await entry.deleteCredential();
      return {};
    default:
      return {problem: `no such action: ${action}`};
  }
}
