import type {Machine} from '../machine.ts';
import type {Results} from '../results.ts';
import type {Verdict} from '../targets.ts';
import {describeStarts} from './start-report.ts';
import {formatFigure, formatTable} from './table.ts';
import {describeThroughput} from './throughput-report.ts';

/** Writes all that a run found as Markdown: ratios first, since a ratio holds on another machine and a figure does not. */
export function formatReport(results: Results, verdicts: readonly Verdict[]): string {
  const parts = [
    describeRun(results),
    `## Targets\n\n${describeVerdicts(verdicts)}`,
    ...describeThroughput(results),
    ...describeStarts(results),
    `## What was measured\n\n${describeSubjects(results)}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function describeRun({startedAt, mode, machine, generator, throughput}: Results): string {
  const turns = throughput === undefined ? '' : `, ${throughput.turns} turns after one to warm up`;
  return [
    `A ${mode} run of ${startedAt.slice(0, 16).replace('T', ' ')} UTC: ${generator}${turns}.`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB; ${machine.system}; Node ${machine.node}; data on ${machine.fileSystem}.`,
    describeCores(machine),
  ].join('\n');
}

function describeCores({pinned}: Machine): string {
  if (pinned === undefined)
    return 'Servers and load generator share all cores: figures are lower and less steady for it.';
  return `Each server has core ${pinned.server} to itself while it is measured, the load generator core ${pinned.generator}.`;
}

function describeVerdicts(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({name, wanted, figure, verdict}) => [
    name,
    verdict === 'missed' ? '**missed**' : verdict,
    figure === undefined ? '–' : `${formatFigure(figure)}${wanted.unit ?? ''}`,
    `${wanted.is} ${wanted.figure.toFixed(wanted.unit === undefined ? 2 : 0)}${wanted.unit ?? ''}`,
  ]);
  return formatTable([['target', '', 'reached', 'wanted'], ...rows]);
}

function describeSubjects({subjects, missing}: Results): string {
  const rows = subjects.map(({name, version, description, durability}) => [name, version, description, durability]);
  const table = formatTable([['', 'version', 'what it is', 'a write is answered when'], ...rows]);
  const lines = missing.map(({name, reason}) => `- ${name} is missing: ${reason}`);
  return [table, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
}
