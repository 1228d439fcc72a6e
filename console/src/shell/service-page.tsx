import type {FunctionComponent} from 'preact';
import type {ServicePage} from '../route.ts';
import {Loading} from './loading.tsx';
import type {PageProps} from './page-props.ts';
import {usePart} from './use-part.ts';

/** Names of the pages, as the menu shows them. */
export const PAGE_NAMES: Readonly<Record<ServicePage, string>> = {
  identity: 'Identity',
  entries: 'Entries',
  events: 'Events',
  requests: 'Requests',
  plugins: 'Plugins',
  flight: 'Flight',
  faults: 'Faults',
};

/** Each page is a file of its own, which is loaded when the page is first shown: most users open few of them. */
const LOADERS: Readonly<Record<ServicePage, () => Promise<FunctionComponent<PageProps>>>> = {
  identity: async () => (await import('../identity/identity-page.tsx')).IdentityPage,
  entries: async () => (await import('../entries/entries-page.tsx')).EntriesPage,
  events: async () => (await import('../events/events-page.tsx')).EventsPage,
  requests: async () => (await import('../requests/requests-page.tsx')).RequestsPage,
  plugins: async () => (await import('../plugin-list/plugins-page.tsx')).PluginsPage,
  flight: async () => (await import('../flight/flight-page.tsx')).FlightPage,
  faults: async () => (await import('../faults/faults-page.tsx')).FaultsPage,
};

/** A page about the service, with its name as its key. */
export function ServicePageView({name, state}: PageProps & {readonly name: ServicePage}) {
  const {value: Page, isMissing} = usePart(LOADERS[name]);
  if (Page !== undefined) return <Page state={state} />;
  return isMissing ? <NotLoaded /> : <Loading name="page" />;
}

/** The service is away, or has become another version since the console was opened. */
function NotLoaded() {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">This page could not be loaded</h1>
      <p>
        <button type="button" onClick={() => location.reload()}>
          Load the console again
        </button>
      </p>
    </section>
  );
}
