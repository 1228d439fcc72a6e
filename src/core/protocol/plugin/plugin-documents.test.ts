import {expect, test} from 'vitest';
import type {PluginStatus} from '../../domain/plugins/plugin.ts';
import {
  formatPlugin,
  formatPluginLogs,
  formatPlugins,
  readPlugin,
  readPluginLogs,
  readPlugins,
} from './plugin-documents.ts';

const RUNNING: PluginStatus = {
  id: 'com.example.hello',
  name: 'Hello',
  version: '1.0.0',
  type: 'user',
  description: 'Greets',
  state: 'running',
  warnings: ['a warning'],
  inDevelopment: false,
  hasPage: true,
  hasBackground: true,
  icons: ['dark'],
  routes: [{method: 'POST', name: 'current.wav', description: ''}],
  directory: '/plugins/com.example.hello',
  stamp: '0123456789abcdef',
  storagePath: '/data/plugin-storage/com.example.hello',
  ends: 2,
  startedAtMs: 1_700_000_000_123,
  memoryBytes: 50_000_000,
};

const BROKEN: PluginStatus = {...RUNNING, id: 'broken', state: 'broken', reason: 'no manifest', routes: []};

test('plugins are read as they were written', () => {
  const all = {plugins: [RUNNING, BROKEN], directory: '/plugins', directoryProblem: 'is writable by others'};
  expect(readPlugins(formatPlugins(all))).toEqual(all);
  expect(readPlugins(formatPlugins({plugins: []}))).toEqual({plugins: []});
  expect(readPlugin(formatPlugin(RUNNING))).toEqual(RUNNING);
});

test('log lines are read as they were written', () => {
  const lines = [{loggedAtMs: 1_700_000_000_123, level: 'error', text: 'a\u0000b "c"'}] as const;
  expect(readPluginLogs(formatPluginLogs(lines))).toEqual(lines);
});
