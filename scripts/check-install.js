#!/usr/bin/env node
// Checks what npm has left out before a script needs it: the package that is named, or without one the built files. Says how to get it.
import {existsSync} from 'node:fs';

const name = ['typescript', 'vitest'].find(each => each === process.argv[2]);
const root = new URL('..', import.meta.url);
const hasPackages = existsSync(new URL(`node_modules/${name ?? 'typescript'}/package.json`, root));
const isBuilt = existsSync(new URL('dist/cli/main.js', root));

if (!hasPackages && !(name === undefined && isBuilt))
  refuse(
    'The packages that build and test Crewroom are not installed: npm leaves them out if NODE_ENV is "production"',
    'npm ci --include=dev --ignore-scripts=false',
  );
else if (!isBuilt && name !== 'typescript')
  refuse('Nothing is built yet: npm runs no scripts if ignore-scripts is set', 'npm run build');

function refuse(problem, command) {
  process.stderr.write(`${problem}.\nRun this first: ${command}\n`);
  process.exit(1);
}
