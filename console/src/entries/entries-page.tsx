import type {PageProps} from '../shell/service-page.tsx';

/** The page "Entries": what plugins have stored. */
export function EntriesPage(_props: PageProps) {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Entries</h1>
    </section>
  );
}
