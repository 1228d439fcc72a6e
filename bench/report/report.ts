import {figuresOf, findMeasured} from '../lookup.ts';
import {type Machine, RECORDED_BARE_GETS} from '../machine.ts';
import type {Results} from '../results.ts';
import {medianOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import type {Verdict} from '../targets.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {describeBeside} from './beside-report.ts';
import {describeContention} from './contention-report.ts';
import {describeAccess, describeRecording} from './cost-report.ts';
import {describeGrowth} from './growth-report.ts';
import {describeLatency} from './latency-report.ts';
import {describePlugins} from './plugins-report.ts';
import {describeShared} from './shared-report.ts';
import {describeStarts} from './start-report.ts';
import {describeSubscribers} from './subscribers-report.ts';
import {formatFigure, formatRatio, formatTable} from './table.ts';
import {describeThroughput} from './throughput-report.ts';

/** Formats all results as Markdown: ratios first, since a ratio holds on another machine and a figure does not. */
export function formatReport(results: Results, verdicts: readonly Verdict[]): string {
  const parts = [
    describeRun(results),
    `## Targets\n\n${describeVerdicts(verdicts)}`,
    ...describeThroughput(results),
    ...describeLatency(results),
    ...describeContention(results),
    ...describeSubscribers(results),
    ...describePlugins(results),
    ...describeRecording(results),
    ...describeAccess(results),
    ...describeShared(results),
    ...describeBeside(results),
    ...describeGrowth(results),
    ...describeStarts(results),
    `## Subjects\n\n${describeSubjects(results)}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function describeRun(results: Results): string {
  const {startedAt, mode, machine, generator, throughput, busy} = results;
  const rounds = throughput === undefined ? '' : `, ${throughput.rounds} rounds after one to warm up`;
  return [
    `A ${mode} run of ${startedAt.slice(0, 16).replace('T', ' ')} UTC: ${generator}${rounds}.`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB; ${machine.system}; Node ${machine.node}; data on ${machine.fileSystem}.`,
    describeCores(machine),
    ...describeSpeed(results),
    ...(busy === undefined ? [] : [`**No target is judged: ${busy}.**`]),
  ].join('\n');
}

/** Describes how fast the machine is, by what the bare server answers: ratios to programs in C move with it. */
function describeSpeed(results: Results): readonly string[] {
  const bare = findMeasured(results, {workload: 'get', connections: COMPARED_CONNECTIONS, subject: BARE.name});
  if (bare === undefined) return [];
  const rate = medianOf(figuresOf(bare, 'requestsPerSecond'));
  const ratio = formatRatio(rate / RECORDED_BARE_GETS);
  return [
    `The bare server answered ${formatFigure(rate)} gets a second: this machine is ${ratio} times as fast as the recorded one, which answered ${formatFigure(RECORDED_BARE_GETS)}.`,
  ];
}

function describeCores({pinned}: Machine): string {
  if (pinned === undefined) return 'Servers and load generator share all cores: figures are lower and vary more.';
  return `While measured, each server has core ${pinned.server} to itself; the load generator has core ${pinned.generator}.`;
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

function describeSubjects({subjects, missing, throughput}: Results): string {
  const rows = subjects.map(({name, version, description, durability, idle, diskBytes}) => [
    name,
    formatFigure(idle.residentMb),
    formatFigure(throughput?.memoryUnderLoad[name]?.residentMb ?? Number.NaN),
    formatFigure(diskBytes / 2 ** 20),
    version,
    description,
    durability,
  ]);
  const titles = ['', 'idle MB', 'under load MB', 'on disk MB', 'version', 'description', 'a write is answered when'];
  const table = formatTable([titles, ...rows]);
  const lines = missing.map(({name, reason}) => `- ${name} is missing: ${reason}`);
  const note =
    'Memory is resident, mapped files included; "on disk" is with 1,000 entries of 200 bytes and 64 of 64 KiB.';
  return [table, note, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
}
