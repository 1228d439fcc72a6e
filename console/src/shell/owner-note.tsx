import type {ConsoleState} from '../state/console-state.ts';
import {Command} from './command.tsx';

/** Shows the command that opens a console of the owner, beside buttons that are disabled without one. Nothing for the owner. */
export function OwnerNote({state}: {readonly state: ConsoleState}) {
  if (state.isOwner.value) return null;
  return (
    <div class="note">
      <p>This page only reads. To change the service, open the console with this command:</p>
      <Command text="crewroom console" />
    </div>
  );
}
