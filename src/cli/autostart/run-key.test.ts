import {expect, test} from 'vitest';
import {formatCommand} from './run-key.ts';

test('formatCommand() quotes paths with blanks, leaves percent signs alone, and asks for a console without a window', () => {
  const program = {node: 'C:\\Program Files\\100%\\node.exe', script: 'C:\\Käse %A%\\main.js'};
  expect(formatCommand(program, 'C:\\Windows\\System32\\conhost.exe')).toBe(
    'C:\\Windows\\System32\\conhost.exe --headless "C:\\Program Files\\100%\\node.exe" "C:\\Käse %A%\\main.js" start --detached',
  );
});
