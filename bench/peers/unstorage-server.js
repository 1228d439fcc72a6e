// unstorage's own HTTP server, on files. Argument 1 is the data directory. Prints its address and version.
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {createStorage} from 'unstorage';
import filesDriver from 'unstorage/drivers/fs';
import {createStorageServer} from 'unstorage/server';

const storage = createStorage({driver: filesDriver({base: process.argv[2]})});
const server = createServer(createStorageServer(storage).handle);
const {version} = JSON.parse(readFileSync(new URL('./node_modules/unstorage/package.json', import.meta.url)));
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port} ${version}\n`));
process.once('SIGTERM', () => process.exit());
