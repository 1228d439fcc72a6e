import {describe, expect, test} from 'vitest';
import {formatRoute, type Route, readRoute} from './route.ts';

const ROUTES: readonly (readonly [fragment: string, route: Route])[] = [
  ['#/', {view: 'home'}],
  ['#/settings', {view: 'settings'}],
  ['#/notifications', {view: 'notifications'}],
  ['#/identity', {view: 'identity'}],
  ['#/plugins', {view: 'plugins'}],
  ['#/entries', {view: 'entries'}],
  ['#/entries/logbook%2F2026%20%2F%20A', {view: 'entries', key: 'logbook/2026 / A'}],
  ['#/entries?prefix=com.example.hello%2Fa%20%26%2B', {view: 'entries', prefix: 'com.example.hello/a &+'}],
  ['#/requests', {view: 'requests'}],
  ['#/requests?plugin=com.example.hello', {view: 'requests', plugin: 'com.example.hello'}],
  ['#/requests?key=a%2Fb', {view: 'requests', key: 'a/b'}],
  ['#/plugins/com.example.hello', {view: 'plugin', id: 'com.example.hello', tab: 'page'}],
  ['#/plugins/com.example.hello/settings', {view: 'plugin', id: 'com.example.hello', tab: 'settings'}],
  ['#/plugins/a%2Fb%20%23c/log', {view: 'plugin', id: 'a/b #c', tab: 'log'}],
];

describe('a route', () => {
  for (const [fragment, route] of ROUTES) {
    test(`${fragment} is read as it was formatted`, () => {
      expect(readRoute(fragment)).toEqual(route);
      expect(formatRoute(route)).toBe(fragment);
    });
  }

  for (const fragment of ['', '#', '#/play'])
    test(`"${fragment}" shows the home view`, () => {
      expect(readRoute(fragment)).toEqual({view: 'home'});
    });

  for (const fragment of [
    '#/none',
    '#/plugins/',
    '#/entries/',
    '#/entries/a/b',
    '#/faults/a',
    '#/plugins/a/none',
    '#/plugins/a/log/more',
    '#/settings/a',
  ]) {
    test(`"${fragment}" has no page`, () => {
      expect(readRoute(fragment)).toEqual({view: 'unknown'});
    });
  }

  test('keeps the id of a plugin that is not percent-encoded', () => {
    expect(readRoute('#/plugins/100%')).toEqual({view: 'plugin', id: '100%', tab: 'page'});
  });
});
