import type {PageProps} from '../shell/service-page.tsx';

/** The page "Faults": what fails on purpose. */
export function FaultsPage(_props: PageProps) {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Faults</h1>
    </section>
  );
}
