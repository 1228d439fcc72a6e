import type {Results} from '../results.ts';
import type {Start, Starts} from '../sections/start.ts';
import {ratioOf, spreadOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** What can be told of a start. */
export const START_FIGURES = {
  firstAnswerMs: ({firstAnswerMs}: Start) => firstAnswerMs,
  idleMb: ({idle}: Start) => idle.residentMb,
  ownMb: ({idle}: Start) => idle.ownMb,
} as const;

/** The table of starts. */
export function describeStarts({starts}: Results): readonly string[] {
  const bare = starts?.find(({subject}) => subject === BARE.name);
  if (starts === undefined || bare === undefined) return [];
  const rows = starts.map(each => [
    each.subject,
    formatRatio(ratioOf(figures(each, 'firstAnswerMs'), figures(bare, 'firstAnswerMs')).median),
    formatSpread(spreadOf(figures(each, 'firstAnswerMs')), formatFigure),
    formatRatio(ratioOf(figures(each, 'idleMb'), figures(bare, 'idleMb')).median),
    formatSpread(spreadOf(figures(each, 'idleMb')), formatFigure),
    formatSpread(spreadOf(figures(each, 'ownMb')), formatFigure),
  ]);
  const titles = ['', 'ratio', 'first answer ms', 'ratio', 'idle RSS MB', 'of it no file MB'];
  return [`## Start, and memory when idle\n\n${formatTable([titles, ...rows])}`];
}

/** One figure of all starts of a subject. */
function figures({starts}: Starts, member: keyof typeof START_FIGURES): readonly number[] {
  return starts.map(START_FIGURES[member]);
}
