import {useSignal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {FaultsBanner} from './faults/faults-banner.tsx';
import {Home} from './home/home.tsx';
import {NoticesView} from './notices/notices-view.tsx';
import {PlayStrip} from './play/play-strip.tsx';
import {PluginView} from './plugins/plugin-view.tsx';
import {formatRoute} from './route.ts';
import {wasTokenRefused} from './service/owner.ts';
import {SettingsView} from './settings/settings-view.tsx';
import {announced} from './shell/announcer.ts';
import {ConnectionBanner} from './shell/connection-banner.tsx';
import {ErrorBoundary} from './shell/error-boundary.tsx';
import {FailureNote} from './shell/failure-note.tsx';
import {Keyboard, type KeyboardDialog} from './shell/keys/keyboard.tsx';
import {Menu} from './shell/menu.tsx';
import {EndedNote} from './shell/owner-note.tsx';
import {ServicePageView} from './shell/service-page.tsx';
import {SoundBar} from './shell/sound-bar.tsx';
import {followAppearance} from './shell/theme.ts';
import {followTitle} from './shell/title.ts';
import type {ConsoleState} from './state/console-state.ts';

/** The console: a menu of plugins, and what the address of the page names. */
export function App({state}: {readonly state: ConsoleState}) {
  useEffect(() => followAppearance(state), [state]);
  useEffect(() => followTitle(state), [state]);
  const opened = useSignal<KeyboardDialog>(undefined);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <Menu state={state} opened={opened} />
      <main class="content" id="content" tabIndex={-1} data-home>
        <ConnectionBanner connection={state.connection} />
        {state.ownerFailure.value !== undefined && <FailureNote failure={state.ownerFailure.value} />}
        {wasTokenRefused.value && <EndedNote />}
        <PlayStrip state={state} />
        <FaultsBanner state={state} />
        <SoundBar sounds={state.sounds} />
        <ErrorBoundary view={state.route.value}>
          {/* A view that the service showed nothing loads again, once this page has become the owner's. */}
          <View key={String(state.connection.needsOwner.value)} state={state} />
        </ErrorBoundary>
      </main>
      <Keyboard state={state} opened={opened} />
      <p class="hidden" role="status">
        <span key={announced.value.place}>{announced.value.text}</span>
      </p>
    </div>
  );
}

function View({state}: {readonly state: ConsoleState}) {
  const route = state.route.value;
  switch (route.view) {
    case 'home':
      return <Home state={state} />;
    case 'unknown':
      return <NoSuchPage />;
    case 'notifications':
      return <NoticesView notices={state.notices} />;
    case 'settings':
      return <SettingsView state={state} />;
    case 'plugin':
      return <PluginView key={route.id} state={state} id={route.id} tab={route.tab} />;
    default:
      return <ServicePageView key={route.view} name={route.view} state={state} />;
  }
}

function NoSuchPage() {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">No such page</h1>
      <p>
        The console has no page at this address. There is <a href={formatRoute({view: 'home'})}>the overview</a>.
      </p>
    </section>
  );
}

/** A button, since the fragment of an address is a route here and names no element. */
function focusContent(): void {
  document.querySelector<HTMLElement>('#content')?.focus();
}
