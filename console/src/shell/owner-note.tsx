import type {ConsoleState} from '../state/console-state.ts';
import {CopyButton} from './copy-button.tsx';

/** Port of a service without settings, whose commands need not name it. */
const DEFAULT_PORT = '7172';

/** Names the way to change the service, beside buttons disabled for a page that only reads. Nothing for the owner. */
export function OwnerNote({state}: {readonly state: ConsoleState}) {
  if (state.isOwner.value) return null;
  return (
    <p class="note">
      This page only reads. To change the service, <OwnerWay />
    </p>
  );
}

/** Says that the service has ended the rights of this page. */
export function EndedNote() {
  return (
    <p class="note warning" role="status">
      The service no longer takes this page for the owner's: it was started again, or the rights were ended. To get them
      again, <OwnerWay />
    </p>
  );
}

/** The ways to become the owner, as the end of a sentence. */
export function OwnerWay() {
  const {port} = location;
  const command = port === DEFAULT_PORT ? 'crewroom console' : `crewroom console --port ${port}`;
  return (
    <>
      press <kbd>o</kbd> in the terminal, or run <code>{command}</code> <CopyButton text={command} about={command} />
    </>
  );
}
