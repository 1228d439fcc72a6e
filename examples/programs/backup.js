// Saves all entries to a file, and fails if a part is missing. Run it: node examples/programs/backup.js FILE [URL]
// @ts-check
import {writeFile} from 'node:fs/promises';
import {createTransfer} from 'crewroom/client/transfer';

const [, , file = 'backup.ndjson', baseUrl = 'http://localhost:7172'] = process.argv;
await writeFile(file, await createTransfer({baseUrl}).export());
