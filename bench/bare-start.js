// The least that a server can be: argument 1 is the port.
import {createServer} from 'node:http';

createServer((_, response) => response.end('{}')).listen(Number(process.argv[2]), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
