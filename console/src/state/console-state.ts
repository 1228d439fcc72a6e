import {computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';
import {type Client, type ClientRequested, createClient, type IdentityDocument} from 'crewroom/client';
import {FlightState} from '../flight/flight-state.ts';
import {followFrameMessages} from '../notices/frame-messages.ts';
import {Notices, type ReceivedNotice} from '../notices/notices.ts';
import {PlayState} from '../play/play-state.ts';
import {formatRoute, type Route, readRoute} from '../route.ts';
import {CallFailure, callService, fetchAsOwner} from '../service/call-service.ts';
import type {FaultList, Plugin, PluginList, SettingValues} from '../service/documents.ts';
import {forgetOwnerToken, isOwner} from '../service/owner.ts';
import {exchangeOwnerCode, type OwnerCode, takeOwnerCode} from '../service/owner-code.ts';
import {ActivePage} from './active-page.ts';
import {type AccentColors, accentColorsOf, type Theme, themeOf} from './appearance.ts';
import {Connection, type FollowedEvent, SETTINGS_PREFIX} from './connection.ts';
import {Drafts} from './drafts.ts';
import {followWhile} from './follow-while.ts';
import {Loaded, toCallFailure} from './loaded.ts';
import {wasOpenedByOwnPage, wasShown} from './opener.ts';
import {SecondLimit} from './second-limit.ts';
import {Sounds} from './sounds.ts';

/** Id of the plugin for which the simulated flight stands in, unless it is installed. */
const FLIGHT_TRACKING = 'com.tfdidesign.flight-tracking';

/** Longest wait for the end of the owner's token before the page is loaded anew, in milliseconds: a reader is shown that the button works. */
const END_WAIT_MS = 1000;

/** Maximum number of navigations of a plugin, and of sounds, within a second: more than anyone follows. */
const REQUESTS_MAX = 20;

/** Knows whether the system has a dark theme. */
const SYSTEM_DARK = matchMedia('(prefers-color-scheme: dark)');

/** Id of the settings of the client itself. */
export const CORE = 'core';

/** The documents of the service that the console shows, and its address. One for each page. */
export class ConsoleState {
  readonly client: Client;
  readonly connection: Connection;
  readonly route: Signal<Route>;
  /** `undefined` before it is loaded; `null` if no pilot is signed in. */
  readonly identity: Loaded<IdentityDocument | null>;
  readonly plugins: Loaded<PluginList>;
  readonly core: Loaded<SettingValues>;
  readonly faults: Loaded<FaultList>;
  readonly flight: FlightState = new FlightState();
  /** The theme that the user chose; before the settings are known, the one with which the service sent the page. */
  readonly theme: ReadonlySignal<Theme>;
  /** True if the system has a dark theme. */
  readonly isSystemDark: Signal<boolean> = signal(SYSTEM_DARK.matches);
  /** True if this page is dark. */
  readonly darkMode: ReadonlySignal<boolean>;
  readonly colors: ReadonlySignal<AccentColors>;
  readonly notices: Notices = new Notices();
  readonly sounds: Sounds = new Sounds();
  readonly play: PlayState = new PlayState();
  readonly drafts: Drafts = new Drafts();
  /** False if this page only reads the service itself: it may change neither allowed origins nor plugins nor faults. */
  readonly isOwner: ReadonlySignal<boolean> = isOwner;
  /** Why the last code did not make this page the owner's. */
  readonly ownerFailure: Signal<CallFailure | undefined> = signal(undefined);
  /** False if another site may have chosen the plugin in the address, until the user does something. */
  readonly mayShowPages: Signal<boolean>;
  /** The code to exchange after the one that is exchanged. */
  #waitingCode: OwnerCode | undefined;
  #isExchanging = false;
  /** Limits by ids of plugins, so that a flood of one keeps no other from its page. */
  readonly #requestLimits = new Map<string, SecondLimit>();
  readonly #activePage = new ActivePage();
  readonly #settingsListeners = new Set<SettingsListener>();

  constructor() {
    this.client = createClient({baseUrl: location.origin, fetch: fetchAsOwner});
    const route = readRoute(location.hash);
    this.route = signal(route);
    this.mayShowPages = signal(wasOpenedByOwnPage() || (route.view === 'plugin' && wasShown(route.id)));
    this.identity = new Loaded(() => callService<IdentityDocument>('/api/identity').catch(nullWithoutIdentity));
    this.plugins = new Loaded(() => callService<PluginList>('/api/plugins'));
    this.core = new Loaded(() => callService<SettingValues>(`/api/settings/${CORE}`));
    this.faults = new Loaded(() => callService<FaultList>('/api/faults'));
    const sent = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.content as Theme | undefined;
    this.theme = computed(() => (this.core.value.value ? themeOf(this.core.value.value) : (sent ?? 'light dark')));
    this.darkMode = computed(() =>
      this.theme.value === 'light dark' ? this.isSystemDark.value : this.theme.value === 'dark',
    );
    this.colors = computed(() => accentColorsOf(this.identity.value.value?.airline?.settings));
    this.connection = new Connection({
      client: this.client,
      onConnected: () => this.#reloadAll(),
      onEvent: event => this.#onEvent(event),
    });
  }

  /** Follows the service and the address of the page until the signal is aborted. */
  start(signal: AbortSignal): void {
    addEventListener('beforeunload', event => this.drafts.unsaved.value.length > 0 && event.preventDefault(), {signal});
    addEventListener('hashchange', () => this.#readRoute(), {signal});
    SYSTEM_DARK.addEventListener('change', ({matches}) => (this.isSystemDark.value = matches), {signal});
    // Timers of hidden pages are slow: a user who comes back should not wait for one.
    document.addEventListener('visibilitychange', () => document.hidden || this.connection.retryNow(), {signal});
    followFrameMessages(notice => this.#onNotice(notice), signal);
    this.#activePage.follow(signal);
    followWhile(this.#activePage.isWatched, signal, watched => this.connection.follow(watched));
    // The address may have changed since this state was made, while the code of the owner was exchanged.
    this.#showRoute();
  }

  /** Follows something while the user may see it: see {@link ActivePage.isWatched}. @returns A function that ends it. */
  whileWatched(follow: (signal: AbortSignal) => Promise<void>): () => void {
    const left = new AbortController();
    followWhile(this.#activePage.isWatched, left.signal, follow);
    return () => left.abort();
  }

  /**
   * Makes this page the owner's, with a code that was in its address. A code that is accepted shows that a program of this user chose the rest of the
   * address too; one that is refused changes nothing. One exchange at a time: of the codes that come meanwhile the last one waits. Never rejects.
   */
  async becomeOwner(code: OwnerCode): Promise<void> {
    this.#waitingCode = code;
    if (this.#isExchanging) return;
    this.#isExchanging = true;
    for (let next = this.#takeCode(); next !== undefined; next = this.#takeCode()) await this.#exchange(next);
    this.#isExchanging = false;
  }

  /** Gives up the rights of the owner, and loads the page anew: what only the owner sees is gone with it. */
  async stopBeingOwner(): Promise<void> {
    // For a duplicate of this tab too, with the token that the tab forgets at once. Without an answer the service has ended, or stands still.
    const ended = callService('/api/access/pages', {method: 'DELETE'}).catch(() => undefined);
    forgetOwnerToken();
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, END_WAIT_MS))]);
    location.reload();
  }

  #takeCode(): OwnerCode | undefined {
    const code = this.#waitingCode;
    this.#waitingCode = undefined;
    return code;
  }

  async #exchange({code, fragment}: OwnerCode): Promise<void> {
    try {
      await exchangeOwnerCode(code);
      this.ownerFailure.value = undefined;
      this.showPages();
      if (fragment !== undefined) location.hash = fragment;
      // The service may have refused the stream of a page that only reads.
      this.connection.retryNow();
    } catch (error) {
      this.ownerFailure.value = toCallFailure(error);
    }
  }

  /** Shows another view. */
  navigate(route: Route): void {
    location.hash = formatRoute(route);
  }

  /** Finds a plugin. */
  plugin(id: string): Plugin | undefined {
    return this.plugins.value.value?.plugins.find(plugin => plugin.id === id);
  }

  /** Shows pages of plugins: the user, or a program of this user, chose the one in the address. */
  showPages(): void {
    this.mayShowPages.value = true;
  }

  /** Calls the listener when the stored settings of an id may have changed. @returns A function that removes it. */
  onSettings(id: string, onChanged: () => void): () => void {
    const listener = {id, onChanged};
    this.#settingsListeners.add(listener);
    return () => this.#settingsListeners.delete(listener);
  }

  #readRoute(): void {
    const code = takeOwnerCode(formatRoute(this.route.value));
    if (code !== undefined) return void this.becomeOwner(code);
    // Only the user, or a plugin that is shown already, changes the address of an open console.
    this.showPages();
    this.#showRoute();
  }

  #showRoute(): void {
    this.play.open(location.hash);
    this.route.value = readRoute(location.hash);
  }

  #reloadAll(): void {
    void this.identity.reload();
    void this.plugins.reload();
    void this.core.reload();
    void this.faults.reload();
    void this.flight.reload();
    for (const {onChanged} of this.#settingsListeners) onChanged();
  }

  #onEvent(event: FollowedEvent): void {
    switch (event.kind) {
      case 'identity-changed':
        void this.identity.reload();
        // It may have changed by a fault.
        void this.faults.reload();
        break;
      case 'plugin-state':
        void this.plugins.reload();
        if (event.plugin === FLIGHT_TRACKING) void this.flight.reload();
        break;
      case 'reset':
        this.#reloadAll();
        break;
      case 'entry-written':
      case 'entry-deleted':
      case 'entry-expired':
        this.#onSettings(event.key.slice(SETTINGS_PREFIX.length));
        break;
      case 'client-request':
        if (this.#activePage.isActive) this.#onRequest(event);
    }
  }

  #onSettings(id: string): void {
    if (id === CORE) void this.core.reload();
    for (const listener of this.#settingsListeners) if (listener.id === id) listener.onChanged();
  }

  #onRequest(request: ClientRequested): void {
    if (request.action !== 'stop-sound' && !this.#limitOf(request).admit()) return;
    switch (request.action) {
      case 'navigate':
        this.navigate(this.#pageOf(request.plugin));
        break;
      case 'play-sound':
        if (this.#playsSounds) this.sounds.play(request.url);
        break;
      case 'stop-sound':
        this.sounds.stop();
    }
  }

  /** Returns the limit of a request. Sounds have no plugin, and callers make up ids: these have one together, so there are few. */
  #limitOf(request: ClientRequested): SecondLimit {
    const id = request.action === 'navigate' ? request.plugin : '';
    const plugin = id === FLIGHT_TRACKING || this.plugin(id) !== undefined ? id : '';
    const limit = this.#requestLimits.get(plugin) ?? this.#createLimit(this.plugin(plugin)?.name ?? 'Plugins');
    this.#requestLimits.set(plugin, limit);
    return limit;
  }

  #createLimit(source: string): SecondLimit {
    return new SecondLimit(REQUESTS_MAX, count =>
      this.notices.add({
        type: 'warning',
        source,
        message: `${count} more navigations and sounds within a second`,
        toast: false,
      }),
    );
  }

  #pageOf(id: string): Route {
    if (id === FLIGHT_TRACKING && this.plugin(id) === undefined) return {view: 'flight'};
    return {view: 'plugin', id, tab: 'page'};
  }

  #onNotice(notice: ReceivedNotice): void {
    this.notices.add(notice);
    if (!notice.quiet && this.#playsSounds) this.sounds.beep();
  }

  get #playsSounds(): boolean {
    return this.core.value.value?.['playSound'] !== false;
  }
}

interface SettingsListener {
  readonly id: string;
  readonly onChanged: () => void;
}

/** That no pilot is signed in is a state, not a failure. */
function nullWithoutIdentity(error: unknown): null {
  if (error instanceof CallFailure && error.code === 'no-identity') return null;
  throw error;
}
