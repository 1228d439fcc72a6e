// Opens an environment in a process of its own, and closes it: where the file system refuses what the engine needs, the engine ends the
// process. The options of the engine are the argument.
import process from 'node:process';
import {open} from 'lmdb';

try {
  await open(JSON.parse(process.argv[2])).close();
} catch (error) {
  process.stderr.write(String(error?.message ?? error));
  process.exitCode = 1;
}
