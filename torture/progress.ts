import type {Outcome} from './scenario.ts';

/** A terminal or a log for the progress messages. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Interval of progress messages if they cannot be overwritten, in milliseconds. */
const LINE_INTERVAL_MS = 15_000;

/** Reports the progress of a scenario: one line that is overwritten on a terminal, a line now and then in a log. */
export function createProgress(screen: Screen, nowMs: () => number): {show(text: string): void; clear(): void} {
  let sentMs = nowMs();
  return {
    show: text => {
      if (screen.isTTY) screen.write(`\r\u001b[K  ${text}`);
      else if (nowMs() - sentMs >= LINE_INTERVAL_MS) {
        sentMs = nowMs();
        screen.write(`  ${text}\n`);
      }
    },
    clear: () => {
      if (screen.isTTY) screen.write('\r\u001b[K');
    },
  };
}

/** Formats the result of one scenario, in as many lines as its analysis needs. */
export function formatOutcome({id, result, seconds, counts, reason, directory, replay}: Outcome): string {
  const counted = Object.entries(counts).map(([what, amount]) => `${amount.toLocaleString('en')} ${what}`);
  const facts = [...counted, `${seconds.toFixed(1)} s`].join(', ');
  const lines = [`${id} ${result}: ${result === 'skipped' ? reason : facts}`];
  if (result === 'failed') lines.push(indent(reason ?? ''));
  if (directory !== undefined) lines.push(indent(`kept: ${directory}`));
  if (replay !== undefined) lines.push(indent(`again: ${replay}`));
  return `${lines.join('\n')}\n`;
}

/** Formats the numbers of passed, failed and skipped scenarios. */
export function formatSummary(outcomes: readonly Outcome[]): string {
  const count = (result: Outcome['result']): number => outcomes.filter(outcome => outcome.result === result).length;
  const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const interrupted = count('interrupted') === 0 ? '' : ', 1 interrupted';
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped${interrupted} in ${seconds.toFixed(0)} s\n`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
