import type {Plugins} from '../../core/domain/plugins/plugin.ts';

/** Resolves once no plugin is starting: each is running, or has a state with the reason why it is not. */
export async function untilStarted(plugins: Plugins): Promise<void> {
  await plugins.ready();
  await untilState(plugins, () => plugins.list().every(({state}) => state !== 'starting'));
}

/** Resolves once the states of plugins are as wanted. */
export function untilState(plugins: Plugins, isWanted: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const unsubscribe = plugins.onState(check);
    check();
    function check(): void {
      if (!isWanted()) return;
      unsubscribe();
      resolve();
    }
  });
}
