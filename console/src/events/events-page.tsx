import type {PageProps} from '../shell/service-page.tsx';

/** The page "Events": what changes. */
export function EventsPage(_props: PageProps) {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Events</h1>
    </section>
  );
}
