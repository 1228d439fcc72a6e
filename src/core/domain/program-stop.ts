/** The words with which a user calls the command line: `npx crewroom` if only npm finds it. */
export type ProgramName = 'crewroom' | 'npx crewroom';

/** Ends the program that runs the service. */
export interface ProgramStop {
  /** Id of its process, so that a caller can wait for its end. */
  readonly processId: number;
  /** Asks the program to end in good order, as Ctrl+C does. Idempotent. */
  ask(): void;
}
