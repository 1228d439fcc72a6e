import {createAlarm} from '../../time/alarm.ts';
import type {Timers} from '../../time/timers.ts';
import {createRetries} from './refresh-plan.ts';
import type {SessionRecord} from './storage/session-record.ts';

export interface UnlockDeps {
  /** Reads the session from the keychain. @returns Undefined if the keychain has no session. */
  unlock(signal: AbortSignal): Promise<SessionRecord | undefined>;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly timers: Timers;
  onUnlocked(record: SessionRecord | undefined): void;
  /** Called if the keychain is locked or does not answer. The call is retried with backoff and jitter. */
  onFailed(error: unknown): void;
}

/** Calls the keychain in the background until it answers. @returns A function that stops the retries. */
export function startUnlocking(deps: UnlockDeps): () => void {
  const {unlock, nowMs, random, onUnlocked, onFailed} = deps;
  const alarm = createAlarm(deps);
  const controller = new AbortController();
  const retries = createRetries(random);
  const attempt = async (): Promise<void> => {
    try {
      const record = await unlock(controller.signal);
      if (!controller.signal.aborted) onUnlocked(record);
    } catch (error) {
      if (controller.signal.aborted) return;
      alarm.set(nowMs() + retries.next(), () => void attempt());
      onFailed(error);
    }
  };
  void attempt();
  return () => {
    controller.abort();
    alarm.clear();
  };
}
