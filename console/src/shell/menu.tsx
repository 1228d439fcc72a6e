import {type Signal, useSignal, useSignalEffect} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {NoticeCard} from '../notices/notice-card.tsx';
import {PluginIcon} from '../plugins/plugin-icon.tsx';
import {stateLabel, troubleOf} from '../plugins/plugin-state.ts';
import {formatRoute, type Route, SERVICE_PAGES} from '../route.ts';
import type {Plugin} from '../service/documents.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {Crew} from './crew.tsx';
import {Glyph} from './glyph.tsx';
import type {KeyboardDialog} from './keys/keyboard.tsx';
import {ShortcutKeys} from './keys/shortcut-keys.tsx';
import {isPressed, SHORTCUTS} from './keys/shortcuts.ts';
import {PAGE_NAMES} from './service-page.tsx';
import {setTo} from './set-to.ts';
import {ThemeChoice} from './theme-choice.tsx';
import {UnsavedMark} from './unsaved-mark.tsx';

interface MenuProps {
  readonly state: ConsoleState;
  /** The dialog that the button of the palette opens. */
  readonly opened: Signal<KeyboardDialog>;
}

/** The menu: the airline, the pilot and the flight, a link for each plugin, and the newest notification. On narrow screens a button opens it. */
export function Menu({state, opened}: MenuProps) {
  const isOpen = useSignal(false);
  useSignalEffect(() => {
    // A user who followed a link wants to see where it led.
    if (state.route.value) isOpen.value = false;
  });
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const left = new AbortController();
    const close = setTo(isOpen, false);
    const closeByKey = (event: KeyboardEvent): void => {
      if (!isOpen.value || !isPressed(event, SHORTCUTS.leave)) return;
      // Of what is below the menu nothing closes.
      event.preventDefault();
      close();
    };
    // On narrow screens the open menu covers the content, which the focus must not reach behind it. A dialog gives the focus back.
    const closeIfLeft = ({relatedTarget}: FocusEvent): void => {
      if (!(relatedTarget instanceof Element) || relatedTarget.closest('dialog') !== null) return;
      if (element.current?.contains(relatedTarget) === false) close();
    };
    element.current?.addEventListener('keydown', closeByKey, {signal: left.signal});
    element.current?.addEventListener('focusout', closeIfLeft, {signal: left.signal});
    return () => left.abort();
  }, [isOpen]);
  const toggle = setTo(isOpen, !isOpen.value);
  return (
    <header class="menu" ref={element} data-open={isOpen.value}>
      <div class="menu-head">
        <a class="airline" href={formatRoute({view: 'home'})}>
          {state.identity.value.value?.airline.settings.airlineName ?? 'Crewroom'}
        </a>
        <button
          type="button"
          class="menu-button"
          data-home
          aria-expanded={isOpen.value}
          aria-controls="menu"
          onClick={toggle}
        >
          <Glyph name={isOpen.value ? 'close' : 'menu'} />
          <span class="hidden">Menu</span>
        </button>
        <Crew state={state} />
      </div>
      <div class="menu-body" id="menu">
        <FindButton opened={opened} />
        <Links state={state} />
      </div>
      <NoticeCard notices={state.notices} />
    </header>
  );
}

function FindButton({opened}: Pick<MenuProps, 'opened'>) {
  const open = setTo(opened, 'palette');
  return (
    <button type="button" class="find" aria-keyshortcuts="Control+K Meta+K" onClick={open}>
      <Glyph name="find" />
      <span class="name">Find…</span>
      <span aria-hidden="true">
        <ShortcutKeys shortcut={SHORTCUTS.find} />
      </span>
    </button>
  );
}

function Links({state}: {readonly state: ConsoleState}) {
  const {view} = state.route.value;
  const unseen = state.notices.unseen.value;
  const plugins = state.plugins.value.value?.plugins ?? [];
  return (
    <nav aria-label="Plugins, service and settings">
      <ul>
        <MenuLink state={state} to={{view: 'home'}} isCurrent={view === 'home'}>
          <Glyph name="home" /> <span class="name">Overview</span>
        </MenuLink>
        {plugins.map(plugin => (
          <PluginLink key={plugin.id} plugin={plugin} state={state} />
        ))}
      </ul>
      <ul class="menu-group" aria-label="Service">
        {SERVICE_PAGES.filter(page => page !== 'flight' || view === 'flight' || state.flight.flight.value).map(page => (
          <MenuLink key={page} state={state} to={{view: page}} isCurrent={view === page}>
            <Glyph name={page} /> <span class="name">{PAGE_NAMES[page]}</span>
          </MenuLink>
        ))}
      </ul>
      <ul class="menu-foot">
        <MenuLink state={state} to={{view: 'notifications'}} isCurrent={view === 'notifications'}>
          <Glyph name="bell" /> <span class="name">Notifications</span>
          {unseen > 0 && (
            <span class="count">
              {unseen}
              <span class="hidden"> new</span>
            </span>
          )}
        </MenuLink>
        <MenuLink state={state} to={{view: 'settings'}} isCurrent={view === 'settings'}>
          <Glyph name="settings" /> <span class="name">Settings</span>
        </MenuLink>
        <li>
          <a class="menu-link" href="/docs">
            <Glyph name="docs" /> <span class="name">Documentation</span>
          </a>
        </li>
        <li>
          <ThemeChoice state={state} />
        </li>
        {state.isOwner.value && (
          <li>
            <button type="button" class="menu-link" onClick={() => void state.stopBeingOwner()}>
              <Glyph name="close" /> <span class="name">Stop being the owner</span>
            </button>
          </li>
        )}
      </ul>
    </nav>
  );
}

function PluginLink({plugin, state}: {readonly plugin: Plugin; readonly state: ConsoleState}) {
  const route = state.route.value;
  return (
    <MenuLink
      state={state}
      to={{view: 'plugin', id: plugin.id, tab: 'page'}}
      isCurrent={route.view === 'plugin' && route.id === plugin.id}
    >
      <PluginIcon plugin={plugin} darkMode={state.darkMode.value} />
      <span class="name">{plugin.name}</span>
      {troubleOf(plugin) !== undefined && (
        <span class="dot" data-trouble={troubleOf(plugin)} title={describeState(plugin)}>
          <span class="hidden">{describeState(plugin)}</span>
        </span>
      )}
    </MenuLink>
  );
}

/** The state with its reason, for readers of a screen and for the pointer. */
function describeState(plugin: Plugin): string {
  return plugin.reason === undefined ? stateLabel(plugin) : `${stateLabel(plugin)}: ${plugin.reason}`;
}

interface MenuLinkProps {
  readonly state: ConsoleState;
  readonly to: Route;
  readonly isCurrent: boolean;
  readonly children: ComponentChildren;
}

function MenuLink({state, to, isCurrent, children}: MenuLinkProps) {
  return (
    <li>
      <a class="menu-link" href={formatRoute(to)} aria-current={isCurrent ? 'page' : undefined}>
        {children}
        <UnsavedMark drafts={state.drafts} to={to} />
      </a>
    </li>
  );
}
