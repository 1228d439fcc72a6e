import type {Timers} from '../../domain/timers.ts';
import {createAlarm} from './alarm.ts';
import {retryDelayMs} from './refresh-plan.ts';
import type {SessionRecord} from './session-record.ts';

/** What asking the keychain needs. */
export interface UnlockDeps {
  /** @returns Undefined when the keychain has no session. */
  unlock(signal: AbortSignal): Promise<SessionRecord | undefined>;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly timers: Timers;
  onUnlocked(record: SessionRecord | undefined): void;
  /** The keychain is locked or does not answer. It is asked again later. */
  onFailed(error: unknown): void;
}

/** Asks the keychain for a session, in the background and until it answers. @returns What ends that. */
export function startUnlocking(deps: UnlockDeps): () => void {
  const {unlock, nowMs, random, onUnlocked, onFailed} = deps;
  const alarm = createAlarm(deps);
  const controller = new AbortController();
  let failures = 0;
  const attempt = async (): Promise<void> => {
    try {
      const record = await unlock(controller.signal);
      if (!controller.signal.aborted) onUnlocked(record);
    } catch (error) {
      if (controller.signal.aborted) return;
      alarm.set(nowMs() + retryDelayMs(failures++, random), () => void attempt());
      onFailed(error);
    }
  };
  void attempt();
  return () => {
    controller.abort();
    alarm.clear();
  };
}
