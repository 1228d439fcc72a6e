import type {PageProps} from '../shell/service-page.tsx';

/** The page "Identity": the document that plugins read, and the pilots to switch among. */
export function IdentityPage(_props: PageProps) {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Identity</h1>
    </section>
  );
}
