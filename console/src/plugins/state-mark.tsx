import type {Plugin} from '../service/documents.ts';
import {stateLabel, troubleOf} from './plugin-state.ts';

/** The state of a plugin, in the colour of its trouble. */
export function StateMark({plugin}: {readonly plugin: Plugin}) {
  return (
    <span class="state" data-state={plugin.state} data-trouble={troubleOf(plugin)}>
      {stateLabel(plugin)}
    </span>
  );
}
