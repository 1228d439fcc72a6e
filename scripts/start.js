#!/usr/bin/env node
// Starts the command line that is built, in the same process: one that npm ends must not leave the service behind.
import './check-install.js';
import {fileURLToPath} from 'node:url';

const main = new URL('../dist/cli/main.js', import.meta.url);
process.argv[1] = fileURLToPath(main);
await import(main.href);
