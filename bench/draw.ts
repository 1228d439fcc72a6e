// Draws docs/performance.svg from the published figures.
import {readFileSync, writeFileSync} from 'node:fs';
import {drawRatios} from './report/ratio-picture.ts';

const report = readFileSync(new URL('./results/published.md', import.meta.url), 'utf8');
const picture = drawRatios(report);
if (picture === undefined) throw new Error('bench/results/published.md has no table of figures');
writeFileSync(new URL('../docs/performance.svg', import.meta.url), picture);
