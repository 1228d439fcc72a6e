// Calls the keychain of the system in a process of its own, since the library may hang while it connects, and cannot be
// aborted. The request arrives as JSON on standard input, and the answer goes to standard output: other users could see
// arguments and environment variables.
import {AsyncEntry} from '@napi-rs/keyring';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const {action, service, account, secret} = JSON.parse(Buffer.concat(chunks).toString());

try {
  // On Linux only the Secret Service: the fallback of the library, the keyring of the kernel, does not survive a reboot.
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
