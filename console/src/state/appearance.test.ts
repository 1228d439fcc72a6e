import {describe, expect, test} from 'vitest';
import {accentColorsOf, pageQuery, readableForeground} from './appearance.ts';

describe('the colours of an airline', () => {
  for (const {name, sent, expected} of [
    {name: 'a colour', sent: '#1B3A5C', expected: '#1B3A5C'},
    {name: 'a short colour', sent: '#abc', expected: '#aabbcc'},
    {name: 'a colour without its sign', sent: ' 1b3a5c ', expected: '#1b3a5c'},
    {name: 'the name of a colour', sent: 'red', expected: '#C00000'},
    {name: 'a style sheet', sent: '#fff;background:url(https://evil.example/)', expected: '#C00000'},
    {name: 'nothing', sent: undefined, expected: '#C00000'},
    {name: 'a number', sent: 0x1b3a5c, expected: '#C00000'},
  ]) {
    test(`may be ${name}`, () => {
      const settings = {accentBackgroundColor: sent as string};
      expect(accentColorsOf(settings)).toEqual({foreground: '#FFFFFF', background: expected});
    });
  }

  test('become a query that plugins read', () => {
    expect(pageQuery(true, {foreground: '#FFFFFF', background: '#C00000'})).toBe(
      '?darkmode=true&forecolor=%23FFFFFF&backcolor=%23C00000',
    );
  });

  for (const {foreground, background, expected} of [
    {foreground: '#ffffff', background: '#1b3a5c', expected: '#ffffff'},
    {foreground: '#ffee00', background: '#1b3a5c', expected: '#ffee00'},
    {foreground: '#ffff00', background: '#ffffff', expected: '#000000'},
    {foreground: '#222222', background: '#000000', expected: '#ffffff'},
  ]) {
    test(`text of ${foreground} on ${background} is shown in ${expected}`, () => {
      expect(readableForeground({foreground, background})).toBe(expected);
    });
  }
});
