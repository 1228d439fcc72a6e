import type {Plugins} from '../../core/domain/plugins/plugin.ts';

/** Resolves once no plugin is starting: each is running, or has a state with the reason why it is not. */
export async function untilStarted(plugins: Plugins): Promise<void> {
  await plugins.ready();
  await new Promise<void>(resolve => {
    const unsubscribe = plugins.onState(check);
    check();
    function check(): void {
      if (plugins.list().some(({state}) => state === 'starting')) return;
      unsubscribe();
      resolve();
    }
  });
}
