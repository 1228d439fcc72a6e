// Makes all files of a release from the built clone, on Linux: `npm run release`. They are written into release/files/, which git ignores.
import {basename} from 'node:path';
import {fileURLToPath} from 'node:url';
import {makeRelease} from './make.ts';
import {makeWhole} from './whole.ts';

// Those of an earlier version would be published too.
const files = await makeWhole(fileURLToPath(new URL('files', import.meta.url)), folder => makeRelease(folder));
for (const {path, sizeBytes} of files)
  process.stdout.write(`${(sizeBytes / 1e6).toFixed(1).padStart(6)} MB  ${basename(path)}\n`);
