/** Exit codes of the process; {@link EXIT_MEANINGS} explains each. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  unreachable: 5,
  findings: 6,
  /** This and the next two are of `crewroom run` itself, as of `env`, `timeout` and `docker run`: any other is of its command. */
  runFailure: 125,
  notExecutable: 126,
  noProgram: 127,
  /** 128 and the number of SIGINT, as shells have it. */
  interrupted: 130,
} as const;

/** The meaning of each exit code, as help and `docs/settings.md` have it. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failure: 'failed',
  usage: 'wrong usage',
  notFound: 'not found',
  conflict: 'exists already, or changed meanwhile',
  unreachable: 'service not reachable',
  findings: 'doctor or plugin check found a problem',
  runFailure: 'run itself failed',
  notExecutable: 'run cannot execute the command',
  noProgram: 'run finds no such command',
  interrupted: 'interrupted by Ctrl+C',
};

/** One of the values of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
