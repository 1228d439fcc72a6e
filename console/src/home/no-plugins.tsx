import type {PluginList} from '../service/documents.ts';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {crewroomCommand, NEW_PLUGIN_LINES} from '../shell/format/example-commands.ts';

/** The ways to a first plugin. */
export function NoPlugins({list}: {readonly list: PluginList}) {
  return (
    <div class="card">
      <EmptyState glyph="plugins" title="No plugins yet">
        <p>
          Begin one of your own: it opens in a console of its own. The <a href="/docs/guides/first-plugin">guide</a>{' '}
          goes on from there.
        </p>
        {NEW_PLUGIN_LINES.map(line => (
          <Command key={line} text={line} />
        ))}
        <p>Or install one that you have as a folder or a ZIP file:</p>
        <Command text={crewroomCommand('plugin install my-plugin.zip')} />
        {list.directory !== undefined && (
          <p>
            Installed plugins are in <code>{list.directory}</code>.
          </p>
        )}
      </EmptyState>
    </div>
  );
}
