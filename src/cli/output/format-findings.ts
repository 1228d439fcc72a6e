import type {Finding, FindingLevel} from '../doctor/finding.ts';
import {escapeControls, type Style} from '../terminal/context.ts';
import {wrapWords} from '../terminal/table.ts';

/** The form in which findings are printed. */
export interface FindingStyle {
  readonly style: Style;
  /** True if levels are marks; otherwise they are words, which programs can find. */
  readonly isTerminal: boolean;
  /** Width of a line, in characters. */
  readonly columns: number;
}

const MARKS = {ok: '✔', warning: '!', problem: '✖', skipped: '–'} as const satisfies Record<FindingLevel, string>;

/** Creates a formatter of findings for people, step by step: one line for each, with its fix below. Their names have at most `nameWidth` characters. */
export function createFindingFormatter(nameWidth: number, shown: FindingStyle) {
  const all: Finding[] = [];
  const formatOne = (finding: Finding, next: Finding | undefined): string => {
    // People read a name once; programs search each line for it.
    const isRepeated = shown.isTerminal && all.at(-1)?.check === finding.check;
    const fix = finding.fix !== undefined && next?.fix === finding.fix ? undefined : shortenFix(finding, all);
    all.push(finding);
    return formatFinding({...finding, fix}, {...shown, name: (isRepeated ? '' : finding.check).padEnd(nameWidth)});
  };
  return {
    /** Formats what one step found. */
    step: (findings: readonly Finding[]): string =>
      findings.map((finding, index) => formatOne(finding, findings[index + 1])).join(''),
    /** Sums up what all steps found. */
    end: (): string => `\n${summarise(all, shown)}\n`,
  };
}

/** Refers to the first check with the same fix, so that people read it once. */
function shortenFix({check, fix}: Finding, before: readonly Finding[]): string | undefined {
  const first = before.find(each => each.fix === fix && each.check !== check);
  return fix === undefined || first === undefined ? fix : `See "${first.check}"`;
}

function formatFinding(
  {level, detail, fix}: Finding,
  {style, isTerminal, columns, name}: FindingStyle & {name: string},
): string {
  const mark = colourOf(level, style)(isTerminal ? MARKS[level] : level.padEnd('problem'.length));
  const indent = ' '.repeat((isTerminal ? 1 : 'problem'.length) + 1 + name.length + 2);
  const width = columns - indent.length;
  const [first, ...others] = wrapWords(escapeControls(detail), width);
  const lines = [`${mark} ${style.bold(name)}  ${first}`, ...others.map(line => `${indent}${line}`)];
  const fixes = fix === undefined ? [] : wrapWords(escapeControls(fix), width - ARROW.length);
  lines.push(...fixes.map((line, index) => `${indent}${style.dim(`${index === 0 ? ARROW : '  '}${line}`)}`));
  return lines.map(line => `${line}\n`).join('');
}

const ARROW = '→ ';

function summarise(findings: readonly Finding[], {style}: FindingStyle): string {
  const count = (wanted: FindingLevel): number => findings.filter(({level}) => level === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const told = [
    ...(problems > 0 ? [style.red(`${problems} ${problems === 1 ? 'problem' : 'problems'}`)] : []),
    ...(warnings > 0 ? [style.yellow(`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`)] : []),
  ];
  return told.length === 0 ? style.green('No problems found') : told.join(', ');
}

function colourOf(level: FindingLevel, style: Style): (text: string) => string {
  switch (level) {
    case 'ok':
      return style.green;
    case 'warning':
      return style.yellow;
    case 'problem':
      return style.red;
    case 'skipped':
      return style.dim;
  }
}
