import type {PluginList} from '../service/documents.ts';
import {Command} from '../shell/command.tsx';

/** The next steps of a user who has no plugins. */
export function NoPlugins({list}: {readonly list: PluginList}) {
  return (
    <div class="card">
      <h2>No plugins yet</h2>
      <p>Begin a plugin of your own, and run it. It appears here by itself.</p>
      <Command text="npx crewroom plugin new my-plugin" />
      <Command text="npx crewroom dev my-plugin" />
      <p>Or install one that you have as a folder or a ZIP file:</p>
      <Command text="npx crewroom plugin install my-plugin.zip" />
      {list.directory !== undefined && (
        <p class="quiet">
          Installed plugins are in <code>{list.directory}</code>.
        </p>
      )}
      <p>
        The <a href="/docs">documentation</a> describes what a plugin can call.
      </p>
    </div>
  );
}
