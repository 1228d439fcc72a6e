import {startFigures} from '../lookup.ts';
import type {Results} from '../results.ts';
import {ratioOf, spreadOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Formats the table of starts. */
export function describeStarts(results: Results): readonly string[] {
  const {starts} = results;
  if (starts === undefined) return [];
  const rows = starts.map(({subject}) => {
    const figures = (figure: 'firstAnswerMs' | 'idleMb' | 'ownMb') => startFigures(results, subject, figure);
    const ratio = (figure: 'firstAnswerMs' | 'idleMb') =>
      formatRatio(ratioOf(figures(figure), startFigures(results, BARE.name, figure)).median);
    const spread = (figure: 'firstAnswerMs' | 'idleMb' | 'ownMb') =>
      formatSpread(spreadOf(figures(figure)), formatFigure);
    return [
      subject,
      ratio('firstAnswerMs'),
      spread('firstAnswerMs'),
      ratio('idleMb'),
      spread('idleMb'),
      spread('ownMb'),
    ];
  });
  const titles = ['', 'ratio', 'first answer ms', 'ratio', 'idle RSS MB', 'not mapped files MB'];
  return [
    '## Start, and memory when idle',
    formatTable([titles, ...rows]),
    'Time from the start of the process to its first answer; memory a second later. Medians with quartiles.',
  ];
}
