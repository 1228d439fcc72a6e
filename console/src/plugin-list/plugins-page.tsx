import type {PageProps} from '../shell/service-page.tsx';

/** The page "Plugins": the plugins, their state, and the flight. */
export function PluginsPage(_props: PageProps) {
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Plugins</h1>
    </section>
  );
}
