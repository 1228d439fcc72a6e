import {escapeControls} from '../escape.ts';
import type {Style} from '../style.ts';
import type {Finding, FindingLevel} from './finding.ts';

/** How findings are shown. */
export interface FindingStyle {
  readonly style: Style;
  /** Whether marks stand for levels; elsewhere they are words, which programs find. */
  readonly isTerminal: boolean;
}

const MARKS = {ok: '✔', warning: '!', problem: '✖'} as const satisfies Record<FindingLevel, string>;

/** Findings for people: one line each, the fix below, and what they come to at the end. */
export function formatFindings(findings: readonly Finding[], shown: FindingStyle): string {
  const width = Math.max(...findings.map(({check}) => check.length));
  const lines = findings.map((finding, index) => {
    // People read a name once; programs look for it on each line.
    const isRepeated = shown.isTerminal && findings[index - 1]?.check === finding.check;
    const isFixBelow = finding.fix !== undefined && findings[index + 1]?.fix === finding.fix;
    const name = (isRepeated ? '' : finding.check).padEnd(width);
    return formatFinding(isFixBelow ? {...finding, fix: undefined} : finding, {...shown, name});
  });
  return `${lines.join('')}\n${summarise(findings, shown)}\n`;
}

function formatFinding(
  {level, detail, fix}: Finding,
  {style, isTerminal, name}: FindingStyle & {name: string},
): string {
  const mark = colourOf(level, style)(isTerminal ? MARKS[level] : level.padEnd('problem'.length));
  const line = `${mark} ${style.bold(name)}  ${escapeControls(detail)}\n`;
  if (fix === undefined) return line;
  const indent = ' '.repeat((isTerminal ? 1 : 'problem'.length) + 1 + name.length + 2);
  return `${line}${indent}${style.dim(`→ ${fix}`)}\n`;
}

function summarise(findings: readonly Finding[], {style}: FindingStyle): string {
  const count = (wanted: FindingLevel): number => findings.filter(({level}) => level === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const told = [
    ...(problems > 0 ? [style.red(`${problems} ${problems === 1 ? 'problem' : 'problems'}`)] : []),
    ...(warnings > 0 ? [style.yellow(`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`)] : []),
  ];
  return told.length === 0 ? style.green('All is well') : told.join(', ');
}

function colourOf(level: FindingLevel, style: Style): (text: string) => string {
  switch (level) {
    case 'ok':
      return style.green;
    case 'warning':
      return style.yellow;
    case 'problem':
      return style.red;
  }
}
