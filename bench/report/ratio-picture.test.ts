import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {drawRatios} from './ratio-picture.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('drawRatios()', () => {
  test('draws docs/performance.svg from the published report; `npm run picture` draws it again', () => {
    expect(read('docs/performance.svg')).toBe(drawRatios(read('bench/results/published.md')));
  });

  test('draws a bar as long as the ratio, and marks subjects that do not sync', () => {
    const row = (work: string, subject: string, ratio: string): string => `| ${work} | ${subject} | ${ratio} | 1 |`;
    const rows = ['get ×64', 'put ×64'].flatMap(work => [
      row(work, 'crewroom', '0.50 (0.4–0.6)'),
      row(work, 'a & b', '1.00'),
    ]);
    const report = [
      'A full run of 2026-01-02 10:00 UTC: wrk.',
      '## The figures',
      ...rows,
      '## A store in etcd',
      row('get ×64', '8.54 (8.35–8.69)', '71,602'),
      '## Subjects',
      '| crewroom | 1 | synced before the answer |',
      '',
    ].join('\n');
    const picture = drawRatios(report);
    expect(picture).toContain('width="150" height="16" class="ours"');
    expect(picture).toContain('>a &amp; b *<');
    expect(picture).toContain('>crewroom<');
    expect(picture).toContain('npm run bench, 2026-01-02');
    expect(picture).not.toContain('8.54');
  });

  test('draws nothing without figures', () => {
    expect(drawRatios('A full run of 2026-01-02')).toBe(undefined);
  });
});
