import {expect, test} from 'vitest';
import {formatCommand, parseCommand} from './run-key.ts';

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

test('formatCommand() names an unpacked folder once, so that the one of "Extract all" in Downloads fits', () => {
  const folder = 'C:\\Users\\firstname.lastname\\Downloads\\crewroom-0.10.12-win32-x64\\crewroom-0.10.12-win32-x64';
  const program = {
    node: `${folder}\\node.exe`,
    script: `${folder}\\node_modules\\crewroom\\dist\\cli\\main.js`,
  };
  const command = formatCommand(program, {consoleHost, release: '10.0.26100'});
  expect(command.length).toBeLessThanOrEqual(260);
  expect(command.split(folder)).toHaveLength(2);
  expect(parseCommand(command)).toEqual(program);
});

test('parseCommand() returns the program of a command, and none of a foreign one', () => {
  for (const release of ['10.0.26100', '6.3.9600'])
    expect(parseCommand(formatCommand(PROGRAM, {consoleHost, release}))).toEqual(PROGRAM);
  expect(parseCommand('crewroom.exe')).toBeUndefined();
});
