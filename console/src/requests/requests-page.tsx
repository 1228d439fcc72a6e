import type {PageProps} from '../shell/service-page.tsx';

/** The page "Requests": what plugins and programs ask. */
export function RequestsPage(_props: PageProps) {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Requests</h1>
    </section>
  );
}
