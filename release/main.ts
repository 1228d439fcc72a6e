// Makes all files of a release from the built clone, on Linux: `npm run release`. They are written into release/files/, which git ignores.
import {rm} from 'node:fs/promises';
import {basename} from 'node:path';
import {fileURLToPath} from 'node:url';
import {makeRelease} from './make.ts';

const ours = fileURLToPath(new URL('files', import.meta.url));
// Those of an earlier version would be published too.
if (process.argv[2] === undefined) await rm(ours, {recursive: true, force: true});
const files = await makeRelease(process.argv[2] ?? ours);
for (const {path, sizeBytes} of files)
  process.stdout.write(`${(sizeBytes / 1e6).toFixed(1).padStart(6)} MB  ${basename(path)}\n`);
