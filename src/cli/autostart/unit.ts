import type {InstalledProgram} from './program.ts';

/** Name of the unit of the service, for `systemctl --user` and `journalctl --user`. */
export const UNIT_NAME = 'crewroom.service';

/** First line of a unit that `crewroom service install` wrote. Files without it are left alone. */
export const UNIT_MARK = '# Written by "crewroom service install", and removed by "crewroom service uninstall".';

/** Time that the service has to end before it is killed, in seconds: seven seconds with plugins, and some more on a busy machine. */
const STOP_TIMEOUT_SECONDS = 30;

/** Pause before a service that failed is started again, in seconds: a port or a disk may need that long to be free. */
const RESTART_PAUSE_SECONDS = 5;

/**
 * Formats the unit that starts the service when its user logs in. It names no variable and no setting: the service reads its config file.
 *
 * Exit code 2 means wrong settings, which stay wrong until the user changes them: the service is not started again.
 */
export function formatUnit({node, script}: InstalledProgram): string {
  return `${UNIT_MARK}
[Unit]
Description=Crewroom, the local service of virtual-airline plugins

[Service]
Type=exec
# The colon keeps systemd from replacing variables in the paths.
ExecStart=:${quote(node)} ${quote(script)} start
Restart=on-failure
RestartSec=${RESTART_PAUSE_SECONDS}
RestartPreventExitStatus=2
TimeoutStopSec=${STOP_TIMEOUT_SECONDS}

[Install]
WantedBy=default.target
`;
}

/** Quotes a word of a unit (systemd.syntax, systemd.unit): backslashes and quotes are escaped, and a percent sign begins a specifier. */
function quote(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}

/** Returns the reason why systemd does not start a program; undefined if there is none (systemd.exec, of a path in quotes). */
export function findUnitProblem({node}: InstalledProgram): string | undefined {
  return /["'\\]/.test(node)
    ? `systemd starts no program whose path contains a quote or a backslash: ${node}`
    : undefined;
}
