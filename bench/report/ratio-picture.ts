import {BARE, CREWROOM} from '../subjects/node-subjects.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';

/** Rows of the picture: a workload of the table of figures, and its title. */
const PANELS = [
  {work: `get ×${COMPARED_CONNECTIONS}`, title: 'Reads per second'},
  {work: `put ×${COMPARED_CONNECTIONS}`, title: 'Writes per second'},
] as const;

const BAR_HEIGHT = 22;
const PANEL_GAP = 52;
const NAMES_WIDTH = 150;
const WIDTH = 720;
/** Width of a bar for the ratio 1. */
const UNIT_WIDTH = 300;
/** Longest bar that is drawn, as a ratio. */
const RATIO_MAX = 1.6;

/**
 * Draws the requests per second of all subjects as bars, relative to the bare server.
 *
 * @param report A report as Markdown, with its table of figures; also the page of the documentation that contains one.
 * @returns An SVG; undefined if the report has no such figures.
 */
export function drawRatios(report: string): string | undefined {
  const run = /^A (?:full|quick) run of ([0-9-]{10})/m.exec(report)?.[1];
  const panels = PANELS.map(panel => ({...panel, bars: readBars(report, panel.work)}));
  if (run === undefined || panels.some(({bars}) => bars.length === 0)) return undefined;
  const parts: string[] = [];
  let top = 24;
  for (const {title, bars} of panels) {
    parts.push(text({x: 0, y: top, content: `${title}, relative to ${BARE.name}`, className: 'title'}));
    for (const [index, bar] of bars.entries()) parts.push(drawBar(bar, top + 14 + index * BAR_HEIGHT));
    top += bars.length * BAR_HEIGHT + PANEL_GAP;
  }
  parts.push(
    text({
      x: 0,
      y: top - 14,
      content: `* does not sync writes to the disk. npm run bench, ${run}; ${COMPARED_CONNECTIONS} connections`,
      className: 'note',
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img" aria-label="${describe(panels)}">`,
    STYLE,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const STYLE = `<style>
text { font: 13px sans-serif; fill: #24292f }
.title { font-weight: bold }
.note { font-size: 11px; fill: #6e7781 }
rect { fill: #8c959f }
.ours { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .note { fill: #9198a1 } rect { fill: #656c76 } .ours { fill: #4493f8 } }
</style>`;

interface Bar {
  readonly subject: string;
  readonly ratio: number;
  readonly isSynced: boolean;
}

/** Reads the medians of a workload from the table of figures. Other tables have rows of the same name. */
function readBars(report: string, work: string): readonly Bar[] {
  const figures = /^#+ The figures\n([^#]*)/m.exec(report)?.[1] ?? '';
  return figures.split('\n').flatMap(line => {
    const [, named = '', subject = '', ratio = ''] = line.split('|').map(cell => cell.trim());
    if (named !== work || !/^[0-9]/.test(ratio)) return [];
    return [{subject, ratio: Number.parseFloat(ratio), isSynced: syncs(report, subject)}];
  });
}

/** Returns whether a subject syncs writes before it answers, by the last column of the table of subjects. */
function syncs(report: string, subject: string): boolean {
  return report.split('\n').some(line => {
    const cells = line.split('|').map(cell => cell.trim());
    return cells[1] === subject && cells.at(-2)?.startsWith('synced') === true;
  });
}

function drawBar({subject, ratio, isSynced}: Bar, y: number): string {
  const width = Math.max(1, Math.round(Math.min(ratio, RATIO_MAX) * UNIT_WIDTH));
  const className = subject === CREWROOM.name ? ' class="ours"' : '';
  const middle = y + BAR_HEIGHT - 8;
  return [
    text({x: 0, y: middle, content: isSynced ? subject : `${subject} *`}),
    `<rect x="${NAMES_WIDTH}" y="${y + 3}" width="${width}" height="${BAR_HEIGHT - 6}"${className}/>`,
    text({x: NAMES_WIDTH + width + 6, y: middle, content: ratio.toFixed(2)}),
  ].join('\n');
}

function text({x, y, content, className}: {x: number; y: number; content: string; className?: string}): string {
  return `<text x="${x}" y="${y}"${className === undefined ? '' : ` class="${className}"`}>${escapeXml(content)}</text>`;
}

function describe(panels: readonly {readonly title: string; readonly bars: readonly Bar[]}[]): string {
  const described = panels.map(
    ({title, bars}) => `${title}: ${bars.map(({subject, ratio}) => `${subject} ${ratio.toFixed(2)}`).join(', ')}`,
  );
  return escapeXml(described.join('. '));
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
