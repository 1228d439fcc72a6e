import {type Signal, useSignalEffect} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {PaletteProps} from '../../palette/palette.tsx';
import type {PageProps} from '../page-props.ts';
import {setTo} from '../set-to.ts';
import {usePart} from '../use-part.ts';
import {ShortcutList} from './shortcut-list.tsx';
import {SHORTCUTS} from './shortcuts.ts';
import {plainKeys, useShortcut} from './use-shortcut.ts';

/** The dialog of {@link Keyboard} that is open. */
export type KeyboardDialog = 'palette' | 'shortcuts' | undefined;

interface KeyboardProps extends PageProps {
  readonly opened: Signal<KeyboardDialog>;
}

/** The palette and the list of shortcuts, which their keys open on every page. */
export function Keyboard({state, opened}: KeyboardProps) {
  useSignalEffect(() => {
    plainKeys.value = state.core.value.value?.['plainKeys'] === true;
  });
  useShortcut(SHORTCUTS.find, setTo(opened, 'palette'));
  const close = setTo(opened, undefined);
  const showShortcuts = setTo(opened, 'shortcuts');
  useShortcut(SHORTCUTS.help, showShortcuts);
  if (opened.value === 'palette') return <LazyPalette state={state} onClose={close} onShortcuts={showShortcuts} />;
  return opened.value === 'shortcuts' ? <ShortcutList onClose={close} /> : null;
}

/** The palette, loaded when it is first opened, and closed at once if that fails. */
function LazyPalette(props: PaletteProps) {
  const {value: Palette, isMissing} = usePart(async () => (await import('../../palette/palette.tsx')).Palette);
  const {onClose} = props;
  useEffect(() => {
    if (isMissing) onClose();
  }, [isMissing, onClose]);
  return Palette === undefined ? null : <Palette {...props} />;
}
