import {describe, expect, test} from 'vitest';
import {type Command, matchCommands} from './match-commands.ts';

function command(group: Command['group'], name: string, about?: string): Command {
  return {group, name, about, action: {kind: 'go', href: '#/'}};
}

const COMMANDS = [
  command('Pages', 'Overview'),
  command('Pages', 'Entries'),
  command('Pages', 'Faults'),
  command('Plugins', 'Radio', 'com.example.radio'),
  command('Plugins', 'Radio: settings', 'com.example.radio'),
  command('Plugins', 'A radio tower', 'com.example.tower'),
  command('Pilots', 'Serve captain', 'Flies much'),
  command('Faults', 'Switch on Full disk', 'Writes fail.'),
];

describe('matchCommands()', () => {
  const cases = [
    {text: '', found: ['Overview', 'Entries', 'Faults', 'Radio', 'Radio: settings', 'A radio tower']},
    {text: '  ', found: ['Overview', 'Entries', 'Faults', 'Radio', 'Radio: settings', 'A radio tower']},
    {text: 'ENTR', found: ['Entries']},
    {text: 'settings radio', found: ['Radio: settings']},
    {text: 'com.example.tower', found: ['A radio tower']},
    {text: 'radio', found: ['Radio', 'Radio: settings', 'A radio tower']},
    {text: 'fault', found: ['Faults', 'Switch on Full disk']},
    {text: 'pilot', found: ['Serve captain']},
    {text: 'writes', found: ['Switch on Full disk']},
    {text: 'nothing of it', found: []},
  ];
  for (const {text, found} of cases)
    test(`finds ${found.length} commands for ${JSON.stringify(text)}`, () => {
      expect(matchCommands(COMMANDS, text).map(({name}) => name)).toEqual(found);
    });

  test('shows eight of a group', () => {
    const many = Array.from({length: 20}, (_, index) => command('Keys', `radio/${index}`));
    expect(matchCommands(many, 'radio')).toEqual(many.slice(0, 8));
  });
});
