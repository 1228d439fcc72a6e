import {expect, test} from 'vitest';
import {formatCommand} from './run-key.ts';

const PROGRAM = {node: 'C:\\Program Files\\100%\\node.exe', script: 'C:\\Käse %A%\\main.js'};
const START = '"C:\\Program Files\\100%\\node.exe" "C:\\Käse %A%\\main.js" start --detached';
const consoleHost = 'C:\\Windows\\System32\\conhost.exe';

test('formatCommand() quotes paths with blanks, leaves percent signs alone, and asks for a console without a window', () => {
  for (const release of ['10.0.17763', '10.0.19045', '10.0.26100', 'unknown'])
    expect([release, formatCommand(PROGRAM, {consoleHost, release})]).toEqual([
      release,
      `C:\\Windows\\System32\\conhost.exe --headless ${START}`,
    ]);
});

test('formatCommand() starts Node by itself where the host of consoles starts nothing without a window', () => {
  for (const release of ['10.0.17134', '10.0.14393', '6.3.9600'])
    expect([release, formatCommand(PROGRAM, {consoleHost, release})]).toEqual([release, START]);
});
