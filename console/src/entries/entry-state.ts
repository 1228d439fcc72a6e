import {batch, computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';
import type {CallFailure} from '../service/call-service.ts';
import {Loaded, toCallFailure} from '../state/loaded.ts';
import {type Draft, NEW_DRAFT} from './draft.ts';
import {changeExpiry, deleteEntry, type ReadEntry, readEntry, revisionOf, writeEntry} from './entry-calls.ts';
import {findJsonProblem, formatJson, readableJson, toOneLine} from './format-json.ts';

/** Time after the last key at which the text is checked, in milliseconds: to parse 1 MiB at each key would be felt. */
const CHECK_AFTER_MS = 200;

/** Result of the last change. */
export type ChangeStatus =
  | {readonly kind: 'none' | 'changing'}
  | {readonly kind: 'done'; readonly text: string}
  | {readonly kind: 'failed'; readonly failure: CallFailure};

/** An entry that is open: as the service has it, and what the user has typed. Changes by other programs never touch the latter. */
export class EntryState {
  readonly key: string;
  /** The entry as the service has it; null if it has none. */
  readonly saved: Loaded<ReadEntry | null>;
  readonly draft: Signal<Draft | undefined>;
  readonly status: Signal<ChangeStatus> = signal({kind: 'none'});
  /** The text to show: that of the user, or else that of the service, laid out if it is on one line. */
  readonly text: ReadonlySignal<string>;
  /** The value of the service as it is shown; undefined if there is none. */
  readonly readable: ReadonlySignal<string | undefined>;
  /** True if another program changed or deleted the entry since the user began to edit. */
  readonly isConflict: ReadonlySignal<boolean>;
  /** Why the text of the user is not JSON. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  readonly #drafts: Map<string, Draft>;
  #check: ReturnType<typeof setTimeout> | undefined;

  /** @param drafts What the user has not saved, by keys: it outlives this object. */
  constructor(key: string, drafts: Map<string, Draft>) {
    this.key = key;
    this.#drafts = drafts;
    this.draft = signal(drafts.get(key));
    this.saved = new Loaded(() => this.#load());
    this.readable = computed(() => {
      const text = this.saved.value.value?.text;
      return text && readableJson(text);
    });
    this.text = computed(() => this.draft.value?.text ?? this.readable.value ?? '');
    this.isConflict = computed(() => {
      const [draft, saved] = [this.draft.value, this.saved.value.value];
      if (draft === undefined || saved === undefined || draft.base === this.#state()) return false;
      // A new time to live, or the same value again, is no conflict.
      return draft.base === 'absent' || saved?.text !== draft.baseText;
    });
  }

  /** Loads the entry again, since it may have changed. */
  async reload(): Promise<void> {
    await this.saved.reload();
    const status = this.status.value;
    // The service is back.
    if (
      this.saved.failure.value === undefined &&
      status.kind === 'failed' &&
      status.failure.code === 'service-unreachable'
    )
      this.status.value = {kind: 'none'};
  }

  /** Takes the text of the user. */
  edit(text: string): void {
    const {saved, readable} = this;
    const {base, baseText, isLaidOut} = this.draft.value ?? this.#begin();
    this.status.value = {kind: 'none'};
    // Undone to what the service has: there is nothing to save.
    const original = isLaidOut ? readable.value : saved.value.value?.text;
    const isUndone = text === original && base === saved.value.value?.etag;
    this.#keep(isUndone ? undefined : {text, base, baseText, isLaidOut});
    clearTimeout(this.#check);
    this.#check = setTimeout(() => this.#findProblem(), CHECK_AFTER_MS);
  }

  /** Lays out the text on lines, also when it is stored. */
  format(): void {
    if (this.#findProblem() !== undefined) return;
    const {text} = this;
    // From now on the text is stored as it is shown.
    this.#keep({...(this.draft.value ?? this.#begin()), text: text.value, isLaidOut: false});
    this.edit(formatJson(text.value));
  }

  /** Returns the value as it is stored, or, of a text that the user has changed, as it would be. */
  exactText(): string {
    const draft = this.draft.value;
    return draft === undefined ? (this.saved.value.value?.text ?? '') : textToStore(draft);
  }

  /** Begins a value for a key that has none. */
  create(): void {
    this.#keep(NEW_DRAFT);
  }

  /** Stores the text of the user if the entry is as it was, and keeps its time of expiry. */
  async save(): Promise<void> {
    const draft = this.draft.value;
    if (draft === undefined || this.#findProblem() !== undefined) return;
    await this.#change('Saved', async () => {
      const ttlSeconds = secondsUntil(this.saved.value.value?.expiresAtMs);
      const {base} = draft;
      const text = textToStore(draft);
      const etag = await writeEntry(this.key, {text, expected: base, ttlSeconds});
      const sizeBytes = new TextEncoder().encode(text).length;
      // At once, or the text of before would be shown until the entry is loaded again.
      batch(() => {
        // The user may have typed on meanwhile.
        const now = this.draft.value;
        const saved = {text, sizeBytes, etag, revision: revisionOf(etag), updatedAtMs: Date.now()};
        this.saved.value.value = {...this.saved.value.value, ...saved};
        this.#keep(now === undefined || now.text === draft.text ? undefined : {...now, base: etag, baseText: text});
      });
    });
  }

  /** Gives up the text of the user. */
  discard(): void {
    this.#keep(undefined);
    this.status.value = {kind: 'none'};
  }

  /** Goes on with the text of the user, which will replace what the other program stored. */
  rebase(): void {
    const {draft, saved} = this;
    if (draft.value === undefined) return;
    this.#keep({...draft.value, base: this.#state(), baseText: saved.value.value?.text ?? ''});
    this.status.value = {kind: 'none'};
  }

  /** Changes when the entry expires: seconds from now, or null for never. */
  async setExpiry(ttlSeconds: number | null): Promise<void> {
    const saved = this.saved.value.value;
    if (saved != null) await this.#change('Time to live changed', () => changeExpiry(this.key, saved.etag, ttlSeconds));
  }

  /** Deletes the entry, unless it has changed since it was shown. */
  async delete(): Promise<void> {
    const saved = this.saved.value.value;
    if (saved == null) return;
    await this.#change('Deleted', async () => {
      await deleteEntry(this.key, saved.etag);
      this.#keep(undefined);
    });
  }

  /** Returns the beginning of a draft: the value as it is shown. */
  #begin(): Draft {
    const baseText = this.saved.value.value?.text ?? '';
    const text = this.readable.value ?? '';
    return {text, base: this.#state(), baseText, isLaidOut: text !== baseText};
  }

  /** Returns the state of the entry, as drafts name it. */
  #state(): string {
    return this.saved.value.value?.etag ?? 'absent';
  }

  async #load(): Promise<ReadEntry | null> {
    const read = await readEntry(this.key);
    const draft = this.draft.value;
    if (draft === undefined) return read;
    // A new time to live, or the same value again, is no conflict. Nor is an existing entry, if nothing was typed for a new one.
    if (draft.base !== 'absent' && read?.text === draft.baseText) this.#keep({...draft, base: read.etag});
    else if (draft.base === 'absent' && draft.text === '' && read !== null) this.#keep(undefined);
    return read;
  }

  async #change(done: string, change: () => Promise<void>): Promise<void> {
    this.status.value = {kind: 'changing'};
    try {
      await change();
      await this.saved.reload();
      this.status.value = {kind: 'done', text: done};
    } catch (error) {
      this.status.value = {kind: 'failed', failure: toCallFailure(error)};
      // What has changed meanwhile is shown beside the failure.
      await this.saved.reload();
    }
  }

  #findProblem(): string | undefined {
    this.problem.value = this.draft.value === undefined ? undefined : findJsonProblem(this.draft.value.text);
    return this.problem.value;
  }

  #keep(draft: Draft | undefined): void {
    this.draft.value = draft;
    if (draft === undefined) this.problem.value = undefined;
    if (draft === undefined) this.#drafts.delete(this.key);
    else this.#drafts.set(this.key, draft);
  }
}

/** Returns the text that a draft becomes when it is stored. @param draft Its text may be no JSON yet. */
function textToStore({text, baseText, isLaidOut}: Draft): string {
  return isLaidOut && findJsonProblem(text) === undefined ? toOneLine(text, baseText) : text;
}

/** Returns the time to live that is left, in whole seconds; undefined for never. A write without it would remove it. */
function secondsUntil(expiresAtMs: number | undefined): number | undefined {
  return expiresAtMs === undefined ? undefined : Math.max(1, Math.ceil((expiresAtMs - Date.now()) / 1000));
}
