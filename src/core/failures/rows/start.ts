import type {FailureIn} from '../members/members.ts';
import type {StartMembers} from '../members/start.ts';
import {describeKept} from './parts.ts';
import type {Rows} from './row.ts';
import {quote} from './words.ts';

/** Failures of a start and of commands. */
export const START_ROWS: Rows<FailureIn<StartMembers>> = {
  'invalid-usage': {
    exit: 'usage',
    text: ({command, problem}) => `Cannot run "${command}": ${problem}`,
    advice: 'Add --help to the command to see how it is used',
    when: 'A command has an unknown or missing argument or flag. See [Settings](settings.md).',
    example: {command: 'crewroom get', problem: 'it takes one key'},
  },
  'invalid-configuration': {
    exit: 'usage',
    heading: () => 'Cannot use the configuration',
    advice: '"crewroom config" shows every setting, its value and where it came from',
    when: 'A flag, an environment variable or the config file has an invalid value or the name of an unknown setting. All problems are reported at once. See [Settings](settings.md).',
    example: {problems: [{setting: 'port', source: '--port', problem: 'is no number'}]},
  },
  'invalid-profile': {
    heading: ({file}) => `Cannot use the profile ${quote(file)}`,
    advice: 'Correct the file; its content is an identity document, such as the one "crewroom identity" prints',
    when: 'The profile cannot be read, is not JSON, or is not a valid identity document; `problems` has the path and the line of each. See [Partial profiles](identity.md#partial-profiles).',
    example: {file: '/a/b', problems: [{path: '$.va_user.dbID', problem: 'is missing'}]},
  },
  'invalid-airline': {
    heading: ({file}) => `Cannot use the airline ${quote(file)}`,
    advice: 'Correct the file; its content is the member "airline" of an identity document',
    when: 'The airline profile cannot be read, is not JSON, or is not a valid airline; `problems` has the path of each. See [Set up your airline](guides/for-airlines.md).',
    example: {file: '/a/b', problems: [{path: '$.settings', problem: 'is missing'}]},
  },
  'unsafe-host': {
    text: ({host}) => `Cannot listen on ${quote(host)}: it is not a loopback address, so other machines could call`,
    advice: 'Use --host localhost, 127.0.0.1 or ::1; local plugins send no credential, so nothing else is safe',
    when: '`--host` names an address that other machines could reach. See [Settings](settings.md).',
    example: {host: '0.0.0.0'},
  },
  'address-in-use': {
    text: ({address, holder = 'another program'}) => `Cannot listen on ${address}: ${holder} uses the port`,
    advice:
      'Stop that program, which another user of this machine may have started, or choose another port with --port; plugins expect 7172',
    when: 'Another program listens on the port, on at least one of the two loopback addresses. See [Two programs, one port](guides/embed-in-a-desktop-client.md#two-programs-and-one-port).',
    example: {address: '127.0.0.1:7172'},
  },
  'address-unusable': {
    text: ({address, problem}) => `Cannot listen on ${address}: ${problem}`,
    advice: 'Choose another address with --host or --port',
    when: 'The system does not allow the service to listen on this address. See [Two programs, one port](guides/embed-in-a-desktop-client.md#two-programs-and-one-port).',
    example: {address: '127.0.0.1:1', problem: 'permission denied'},
  },
  'data-directory-in-use': {
    text: ({directory, processId}) => `Cannot open ${quote(directory)}: process ${processId} uses it`,
    advice: 'Stop that process, or give each service a directory of its own with --data-dir',
    when: 'Another process holds the data directory. A lock left by a process that has ended is no obstacle. See [What is where](guides/move-upgrade-remove.md#what-is-where).',
    example: {directory: '/a', processId: 12},
  },
  'data-directory-unusable': {
    text: ({directory, problem}) => `Cannot use ${quote(directory)}: ${problem}`,
    advice:
      'Choose a directory of your own that you may write to with --data-dir, or run without a disk with --ephemeral',
    when: 'The data directory belongs to another user, contains other files and no store, or cannot be created, read or written; or its file system, a limit of the process or another program does not allow what a store needs. See [What is where](guides/move-upgrade-remove.md#what-is-where).',
    example: {directory: '/a', problem: 'it is a file'},
  },
  'engine-missing': {
    text: ({system, problem}) => `Cannot load the engine of the store for ${system}: ${problem}`,
    advice:
      'Delete node_modules and install again on this system and processor, with optional packages; "crewroom start --ephemeral" does without',
    when: 'The native part of the engine, an optional package for each `system` and processor, is not installed or cannot be loaded: `node_modules` was copied from another system, the lock file lists that of another one only, npm ran with `--omit=optional`, or the C library is too old. See [Where it runs](guides/move-upgrade-remove.md#where-it-runs).',
    example: {system: 'linux-x64', problem: 'the package @lmdb/lmdb-linux-x64 is not installed'},
  },
  'data-format-unsupported': {
    text: ({directory, found, supported}) =>
      `Cannot open ${quote(directory)}: it has data format ${found}, and this version has format ${supported}`,
    advice:
      'Open or export it with the version of Crewroom that wrote it, or use another directory with --data-dir; nothing was changed',
    when: 'Another version of Crewroom wrote the data directory, or the file with tokens or permissions in it. See [Upgrade](guides/move-upgrade-remove.md#upgrade).',
    example: {directory: '/a', found: '2', supported: 1},
  },
  'invalid-token-file': {
    text: ({file, problem}) => `Cannot use the tokens of programs in ${quote(file)}: ${problem}`,
    advice:
      'Correct the file, or delete it, start the service, and create the tokens again with "crewroom token create"',
    when: '`access-tokens.json` in the data directory, with the tokens of programs, cannot be read, or is not a list of tokens. Without it the service could not know which programs to refuse. See [Tokens](access.md#tokens-of-programs).',
    example: {file: '/a', problem: 'it is not a list of tokens'},
  },
  'invalid-rules-file': {
    text: ({file, problem}) => `Cannot use the permissions of plugins in ${quote(file)}: ${problem}`,
    advice:
      'Correct the file, or delete it, start the service, and give the permissions again with "crewroom access grant"',
    when: '`access-rules.json` in the data directory, with the permissions of plugins, cannot be read, or has a content that the service does not write. A rule that is not understood must not be ignored. See [Permissions](access.md#permissions-of-plugins).',
    example: {file: '/a', problem: 'it has a plugin twice'},
  },
  'unreadable-input': {
    exit: 'usage',
    text: ({source, problem}) => `Cannot read ${source}: ${problem}`,
    advice: 'Give the value itself, "-" to read it from standard input, or "@FILE" to read it from a file',
    when: 'The command line could not read its input: a file, standard input, or the file of an editor. See [Windows and macOS](guides/windows-and-macos.md#first-steps-on-windows).',
    example: {source: '@x', problem: 'no such file'},
  },
  'unwritable-output': {
    text: ({problem, target = 'standard output'}) => `Cannot write to ${target}: ${problem}`,
    advice: 'Check where the output goes: the disk may be full',
    when: 'The command line could not write its output. See [Back up and restore](guides/tour.md#back-up-and-restore).',
    example: {problem: 'no space left on device'},
  },
  'foreign-service': {
    text: ({url, owner, userId}) =>
      `Cannot trust the service at ${url}: its process belongs to user ${owner}, and this one to user ${userId}`,
    advice:
      'Run "crewroom doctor" to see which program that is; sign in as its user, or start a service of your own on another port',
    when: '`crewroom sign-in` or `crewroom stop` found that a program of another user, `owner`, answers on the port. No password and no signal was sent. Linux only: see [what the service holds against](access.md#what-it-holds-against).',
    example: {url: 'http://127.0.0.1:7172', owner: 1001, userId: 1000},
  },
  'no-owner-token': {
    text: ({url, files}) => `Cannot act as the owner of ${url}: no token of it is in ${files}`,
    advice: 'Name the data directory of the service with --data-dir, and run the command as the user who started it',
    when: '`crewroom console` or `crewroom token` found no token of the service in `files`: the files of a service in memory, in the runtime directory and in that for temporary files, and that in the data directory. The service has another data directory, or belongs to another user. See [The owner](guard.md#the-owner).',
    example: {
      url: 'http://localhost:7172',
      files: '/run/user/1000/crewroom/owner-token-7172 and /home/ada/.local/share/crewroom/owner-token',
    },
  },
  'invalid-package': {
    text: ({source, problem}) => `Cannot install ${source}: ${problem}`,
    advice: 'Ask its author for a package that is a ZIP of the folder of the plugin; nothing was unpacked',
    when: '`crewroom plugin install` refused an archive or a folder: it is damaged or encrypted, is too large, or has a link, a path that leads out of the folder, two files of one name, or not exactly one plugin; `problem` names it. See [Installed plugins](plugins-for-owners.md).',
    example: {source: '"a.zip"', problem: '"../a" leads out of the folder'},
  },
  'plugin-not-started': {
    text: ({plugin, version, problem, kept}) =>
      `Cannot start version ${version} of ${quote(plugin)}: ${problem}; ${describeKept(kept)}`,
    advice: 'Send the lines to the author of the plugin; "crewroom plugin check DIR" checks its folder',
    when: '`crewroom plugin install` put a new version of a plugin in place, and its background did not start. The version before it, `kept`, was restored. `lines` are the last log lines of the new one. See [Installed plugins](plugins-for-owners.md).',
    example: {
      plugin: 'com.example.a',
      version: '1.1.0',
      problem: 'its module did not load',
      kept: '1.0.0',
      lines: ['no wind'],
    },
  },
  'service-manager-failed': {
    text: ({command, problem}) => `Cannot run ${quote(command)}: ${problem}`,
    advice:
      'Run it in a session of the user who is logged in, not by su or sudo; "crewroom start --detached" needs no service manager',
    when: '`crewroom service` asked the system to do something, and it refused or was not reachable; `problem` is its reason. Nothing was installed. See [Keep it running](guides/keep-it-running.md).',
    example: {command: 'systemctl --user daemon-reload', problem: 'this session has no service manager'},
  },
};
