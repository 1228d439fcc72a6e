// Draws docs/performance.svg from the figures in docs/performance.md.
import {readFileSync, writeFileSync} from 'node:fs';
import {drawRatios} from './report/ratio-picture.ts';

const page = readFileSync(new URL('../docs/performance.md', import.meta.url), 'utf8');
const picture = drawRatios(page);
if (picture === undefined) throw new Error('docs/performance.md has no table of figures');
writeFileSync(new URL('../docs/performance.svg', import.meta.url), picture);
