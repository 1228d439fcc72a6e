import {batch, computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';
import type {Client} from 'crewroom/client';
import type {CallFailure} from '../service/call-service.ts';
import {announce} from '../shell/announcer.ts';
import type {Drafts, Fields} from '../state/drafts.ts';
import {Loaded, toCallFailure} from '../state/loaded.ts';
import type {Draft} from './draft.ts';
import {changeExpiry, deleteEntry, type ReadEntry, readEntry, revisionOf, writeEntry} from './entry-calls.ts';
import {findJsonProblem, formatJson, readableJson, toOneLine} from './format-json.ts';

/** Time after the last key at which the text is checked, in milliseconds: to parse 1 MiB at each key would be felt. */
const CHECK_AFTER_MS = 200;

/** State of the last change. */
export type ChangeStatus =
  | {readonly kind: 'none'}
  | {readonly kind: 'changing' | 'done'; readonly text: string}
  | {readonly kind: 'failed'; readonly failure: CallFailure};

/** An entry that is open: as the service has it, and what the user has typed. Changes by other programs never touch the latter. */
export class EntryState {
  readonly key: string;
  /** The entry as the service has it; null if it has none. */
  readonly saved: Loaded<ReadEntry | null>;
  readonly draft: Signal<Draft | undefined>;
  /** The time to live that the user has typed and not set. */
  readonly ttl: Signal<Fields | undefined>;
  /** True if the user types a value for a key that had none. */
  readonly isNew: Signal<boolean> = signal(false);
  readonly status: Signal<ChangeStatus> = signal({kind: 'none'});
  /** The text to show: that of the user, or else that of the service, laid out if it is on one line. */
  readonly text: ReadonlySignal<string>;
  /** The value of the service as it is shown; undefined if there is none. */
  readonly readable: ReadonlySignal<string | undefined>;
  /** True if another program changed or deleted the entry since the user began to edit. */
  readonly isConflict: ReadonlySignal<boolean>;
  /** Why the text of the user is not JSON. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  /** True while the user compares both values of a conflict, and chooses one. */
  readonly isComparing: Signal<boolean> = signal(false);
  #check: ReturnType<typeof setTimeout> | undefined;

  /** @param drafts What the user has not saved: it outlives this object. */
  constructor(key: string, client: Client, drafts: Drafts) {
    this.key = key;
    this.draft = drafts.at({view: 'entries', key});
    this.ttl = drafts.at({view: 'entries', key}, 'ttl');
    this.saved = new Loaded(() => this.#load(client));
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
    if (!this.isConflict.value) this.isComparing.value = false;
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
    const isChanging = this.#isChanging();
    if (!isChanging) this.status.value = {kind: 'none'};
    // Undone to what the service has: there is nothing to save.
    const original = isLaidOut ? readable.value : saved.value.value?.text;
    const isUndone = !isChanging && text === (original ?? '') && base === this.#state();
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

  /** Stores the text of the user if the entry is as it was, and keeps its time of expiry. Otherwise the user is asked. */
  async save(): Promise<void> {
    // A write that does not know the time of expiry would remove it.
    if (this.saved.value.value === undefined) await this.saved.reload();
    const [draft, before] = [this.draft.value, this.saved.value.value];
    if (draft === undefined || before === undefined || this.#isChanging() || this.#findProblem() !== undefined) return;
    this.isComparing.value = this.isConflict.value;
    if (this.isComparing.value) return;
    const failure = await this.#change(['Saving…', 'Saved'], async () => {
      const ttlSeconds = secondsUntil(before?.expiresAtMs);
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
    if (failure?.code === 'revision-conflict') this.isComparing.value = this.isConflict.value;
  }

  /** Gives up the text of the user. */
  discard(): void {
    this.isComparing.value = false;
    this.#keep(undefined);
    this.status.value = {kind: 'none'};
  }

  /** Stores the text of the user in place of the value of the other program that is shown. */
  async replace(): Promise<void> {
    const {draft, saved} = this;
    this.isComparing.value = false;
    if (draft.value !== undefined && this.#findProblem() === undefined)
      this.#keep({...draft.value, base: this.#state(), baseText: saved.value.value?.text ?? ''});
    await this.save();
  }

  /** Changes when the entry expires: seconds from now, or null for never. */
  async setExpiry(ttlSeconds: number | null): Promise<void> {
    const saved = this.saved.value.value;
    if (saved == null) return;
    const words = ['Changing the time to live…', 'Time to live changed'] as const;
    await this.#change(words, async () => {
      await changeExpiry(this.key, saved.etag, ttlSeconds);
      this.ttl.value = undefined;
    });
  }

  /** Stores an earlier value again, unless the entry has changed since it was shown, and keeps its time of expiry. */
  async restore(text: string): Promise<void> {
    const [expected, expiresAtMs] = [this.#state(), this.saved.value.value?.expiresAtMs];
    await this.#change(['Restoring…', 'Restored'], async () => {
      await writeEntry(this.key, {text, expected, ttlSeconds: secondsUntil(expiresAtMs)});
    });
  }

  /** Deletes the entry, unless it has changed since it was shown. */
  async delete(): Promise<void> {
    const saved = this.saved.value.value;
    if (saved == null) return;
    await this.#change(['Deleting…', 'Deleted'], async () => {
      await deleteEntry(this.key, saved.etag);
      this.#keep(undefined);
      announce('The entry was deleted');
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

  async #load(client: Client): Promise<ReadEntry | null> {
    const read = await readEntry(client, this.key);
    if (read === null) this.ttl.value = undefined;
    else this.isNew.value = false;
    const draft = this.draft.value;
    if (draft === undefined) return read;
    // A new time to live, or the same value again, is no conflict.
    if (draft.base !== 'absent' && read?.text === draft.baseText) this.#keep({...draft, base: read.etag});
    return read;
  }

  #isChanging(): boolean {
    return this.status.value.kind === 'changing';
  }

  /** Makes one change at a time: another one meanwhile would meet the first as that of another program. */
  async #change(
    [doing, done]: readonly [doing: string, done: string],
    change: () => Promise<void>,
  ): Promise<CallFailure | undefined> {
    if (this.#isChanging()) return undefined;
    this.status.value = {kind: 'changing', text: doing};
    try {
      await change();
      await this.saved.reload();
      this.status.value = {kind: 'done', text: done};
      return undefined;
    } catch (error) {
      const failure = toCallFailure(error);
      // What has changed meanwhile is shown beside the failure, or the user is asked about it.
      await this.saved.reload();
      this.status.value = {kind: 'failed', failure};
      return failure;
    }
  }

  #findProblem(): string | undefined {
    this.problem.value = this.draft.value === undefined ? undefined : findJsonProblem(this.draft.value.text);
    return this.problem.value;
  }

  #keep(draft: Draft | undefined): void {
    this.draft.value = draft;
    if (draft === undefined) this.problem.value = undefined;
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
