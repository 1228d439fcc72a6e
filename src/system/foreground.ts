import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';

/**
 * Returns whether a process may use its terminal. The system stops a process in the background that changes the mode of its terminal or
 * reads from it (termios(3), SIGTTOU and SIGTTIN). True if the system does not tell.
 */
export function isForeground(processId: number, platform: NodeJS.Platform): boolean {
  try {
    const [group, foreground] = platform === 'linux' ? readGroups(processId) : askGroups(processId, platform);
    return group === undefined || group === foreground;
  } catch {
    return true;
  }
}

/** Reads the group of a process, and the one in the foreground of its terminal (proc(5), stat: pgrp and tpgid). */
function readGroups(processId: number): readonly (string | undefined)[] {
  const stat = readFileSync(`/proc/${processId}/stat`, 'latin1');
  // The name of the program, in parentheses, may contain anything.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [group, foreground];
}

function askGroups(processId: number, platform: NodeJS.Platform): readonly (string | undefined)[] {
  if (platform === 'win32') return [];
  const line = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(processId)], {timeout: PS_TIMEOUT_MS});
  return line.toString().trim().split(/\s+/);
}

/** Longest time to ask for the groups, in milliseconds: it takes some ten. */
const PS_TIMEOUT_MS = 1000;
