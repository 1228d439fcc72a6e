// Makes all files of a release from the built clone, on Linux: `npm run release`. They are written into release/files/, which git ignores.
import {basename} from 'node:path';
import {fileURLToPath} from 'node:url';
import {makeRelease} from './make.ts';

const files = await makeRelease(process.argv[2] ?? fileURLToPath(new URL('files', import.meta.url)));
for (const {path, sizeBytes} of files)
  process.stdout.write(`${(sizeBytes / 1e6).toFixed(1).padStart(6)} MB  ${basename(path)}\n`);
