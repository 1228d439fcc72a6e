import {render} from 'preact';
import {App} from './app.tsx';
import {restoreOwnerToken} from './service/owner.ts';
import {takeOwnerCode} from './service/owner-code.ts';
import {openTabStorage} from './service/owner-storage.ts';
import {ErrorBoundary} from './shell/error-boundary.tsx';
import {keepFocus} from './shell/keep-focus.ts';
import {ConsoleState} from './state/console-state.ts';

const root = document.querySelector<HTMLElement>('#console');
if (root === null) throw new Error('The page has no element for the console');
await show(root);

async function show(element: HTMLElement): Promise<void> {
  // Before anything reads the address.
  const code = takeOwnerCode();
  restoreOwnerToken(openTabStorage());
  const state = new ConsoleState();
  // Before the first call: all of them are the owner's.
  if (code !== undefined) await state.becomeOwner(code);
  const {signal} = new AbortController();
  state.start(signal);
  keepFocus(element, signal);
  render(
    <ErrorBoundary>
      <App state={state} />
    </ErrorBoundary>,
    element,
  );
}
