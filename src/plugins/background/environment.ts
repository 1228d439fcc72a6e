import {withoutProxy} from '../../system/without-proxy.ts';

/**
 * Variables that a background inherits, in upper case. A list of what is needed, since the environment of a service holds secrets
 * of its user: paths and language, proxies and certificates, and the session of the desktop, in which plugins play sounds and open
 * windows. `NODE_OPTIONS` is not among them: it would load other code and open the port of the debugger again.
 */
const INHERITED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'PULSE_SERVER'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'PROCESSOR_ARCHITECTURE'],
  ...['NUMBER_OF_PROCESSORS', 'COMPUTERNAME', 'USERNAME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH'],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'COMMONPROGRAMFILES'],
]);

/** Environment of a process. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns the environment of a background, from that of the service. */
export function environmentOf(service: ProcessEnvironment): ProcessEnvironment {
  const inherited = Object.entries(service).filter(([name]) => isInherited(name.toUpperCase()));
  return {
    ...Object.fromEntries(inherited),
    ...withoutProxy(service, {isNode: true}),
    // In Electron, `process.execPath` is Electron; the variable makes it behave like Node.
    ELECTRON_RUN_AS_NODE: '1',
  };
}

function isInherited(name: string): boolean {
  return INHERITED.has(name) || name.startsWith('LC_');
}
