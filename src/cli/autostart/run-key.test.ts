import {expect, test} from 'vitest';
import {formatCommand} from './run-key.ts';

test('formatCommand() quotes paths with blanks, and leaves percent signs alone', () => {
  const command = formatCommand({node: 'C:\\InstalledProgram Files\\100%\\node.exe', script: 'C:\\Käse %A%\\main.js'});
  expect(command).toBe('"C:\\InstalledProgram Files\\100%\\node.exe" "C:\\Käse %A%\\main.js" start --detached');
});
