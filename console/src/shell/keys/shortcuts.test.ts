import {describe, expect, test} from 'vitest';
import {isPressed, keyNames, SHORTCUTS} from './shortcuts.ts';

/** A key without modifiers. */
const PLAIN = {ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false};

describe('isPressed()', () => {
  const cases = [
    {name: 'Ctrl and k', event: {...PLAIN, key: 'k', ctrlKey: true}, finds: true},
    {name: 'Cmd and k', event: {...PLAIN, key: 'k', metaKey: true}, finds: true},
    {name: 'Ctrl and K, with caps lock', event: {...PLAIN, key: 'K', ctrlKey: true}, finds: true},
    {name: 'k alone', event: {...PLAIN, key: 'k'}, finds: false},
    {name: 'Ctrl, Alt and k', event: {...PLAIN, key: 'k', ctrlKey: true, altKey: true}, finds: false},
    {name: 'Ctrl, Shift and K', event: {...PLAIN, key: 'K', ctrlKey: true, shiftKey: true}, finds: false},
    {
      name: 'Ctrl and k within a word of an input method',
      event: {...PLAIN, key: 'k', ctrlKey: true, isComposing: true},
      finds: false,
    },
    {name: 'Ctrl and Escape', event: {...PLAIN, key: 'Escape', ctrlKey: true}, finds: false},
  ];
  for (const {name, event, finds} of cases)
    test(`takes ${name} ${finds ? '' : 'not '}for the shortcut that finds`, () => {
      expect(isPressed(event, SHORTCUTS.find, false)).toBe(finds);
    });

  test('takes Cmd alone on a Mac, where Ctrl edits text', () => {
    expect(isPressed({...PLAIN, key: 'k', metaKey: true}, SHORTCUTS.find, true)).toBe(true);
    expect(isPressed({...PLAIN, key: 'k', ctrlKey: true}, SHORTCUTS.find, true)).toBe(false);
  });

  test('takes a key that needs Shift', () => {
    expect(isPressed({...PLAIN, key: '?', shiftKey: true}, SHORTCUTS.help)).toBe(true);
  });

  test('takes Enter, but not the one that ends a word of an input method', () => {
    expect(isPressed({...PLAIN, key: 'Enter'}, SHORTCUTS.open)).toBe(true);
    expect(isPressed({...PLAIN, key: 'Enter', isComposing: true}, SHORTCUTS.open)).toBe(false);
  });
});

describe('the table of shortcuts', () => {
  test('has each key once in a place, also among those that work everywhere', () => {
    const shown = Object.values(SHORTCUTS).map(
      shortcut => [shortcut.where, keyNames(shortcut, false).join(' ')] as const,
    );
    const everywhere = shown.filter(([where]) => where === 'Everywhere').map(([, keys]) => keys);
    const others = shown.filter(([where]) => where !== 'Everywhere');
    expect(new Set(others.map(each => each.join()))).toHaveLength(others.length);
    expect(others.filter(([, keys]) => everywhere.includes(keys))).toEqual([]);
  });

  test('names keys as keyboards do', () => {
    expect(keyNames(SHORTCUTS.find, false)).toEqual(['Ctrl', 'K']);
    expect(keyNames(SHORTCUTS.find, true)).toEqual(['⌘', 'K']);
    expect(keyNames(SHORTCUTS.step, true)).toEqual(['↑', '↓']);
  });
});
