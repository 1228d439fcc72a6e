import type {ConsoleState} from '../state/console-state.ts';

/** Properties of each page about the service. */
export interface PageProps {
  readonly state: ConsoleState;
}
