import {expect, test} from 'vitest';
import {flagsOf} from '../test/support/usage.ts';
import {formatUsage} from './options.ts';
import {SCENARIOS} from './scenarios.ts';

test('the usage text has a line for each flag and each scenario', () => {
  const usage = formatUsage(SCENARIOS);
  expect(flagsOf(usage)).toEqual(['only', 'rounds', 'seed', 'quick', 'json', 'keep', 'help']);
  for (const {id, name} of SCENARIOS) expect(usage.split('\n')).toContain(`  ${id.padEnd(4)} ${name}`);
  expect(usage).not.toContain('\u23ce');
});
