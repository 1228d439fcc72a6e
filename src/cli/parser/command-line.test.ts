import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {AppError} from '../../core/failures/app-error.ts';
import {AdvisedError} from '../failures/report.ts';
import {commandFirst, parseCommandLine} from './command-line.ts';

describe('commandFirst()', () => {
  const sorted = [
    {args: ['--port', '7200', 'status', '--json'], expected: ['status', '--port', '7200', '--json']},
    {
      args: ['--port=7200', '--ephemeral', 'run', '--', 'a'],
      expected: ['run', '--port=7200', '--ephemeral', '--', 'a'],
    },
    {
      args: ['--no-keep-session', '--config', 'status', 'list'],
      expected: ['list', '--no-keep-session', '--config', 'status'],
    },
    {args: ['--port', '1', 'status', '--port', '2'], expected: ['status', '--port', '1', '--port', '2']},
    {args: ['--port', '1', '--help'], expected: ['--help']},
    {args: ['--port', '1', 'statsu', 'x'], expected: ['statsu', 'x']},
    {args: ['--port', '1'], expected: ['--port', '1']},
    {args: ['--json', 'status'], expected: ['--json', 'status']},
    {args: ['put', '--port', '1', 'a', '1'], expected: ['put', '--port', '1', 'a', '1']},
    {args: [], expected: []},
  ];
  test.each(sorted)('sorts $args', ({args, expected}) => {
    assert.deepEqual(commandFirst(args), expected);
  });
});

describe('parseCommandLine()', () => {
  const helped = [
    {args: [], name: undefined},
    {args: ['help'], name: undefined},
    {args: ['-h'], name: undefined},
    {args: ['help', 'put'], name: 'put'},
    {args: ['put', '--help'], name: 'put'},
    {args: ['put', 'k', '--nonsense', '-h'], name: 'put'},
  ];
  for (const {args, name} of helped) {
    test(`treats "crewroom ${args.join(' ')}" as a request for help`, () => {
      assert.deepEqual(parseCommandLine(args), {kind: 'help', name});
    });
  }

  const parsed = [
    {name: 'no flags', args: ['list'], given: {}},
    {name: 'a switch', args: ['list', '--reverse'], given: {flags: {reverse: true}}},
    {name: 'a value after a space', args: ['list', '--after', 'k'], given: {flags: {after: 'k'}}},
    {name: 'a value after an equals sign', args: ['list', '--after=a=b'], given: {flags: {after: 'a=b'}}},
    {name: 'an empty value', args: ['list', '--after='], given: {flags: {after: ''}}},
    {name: 'a value that looks like a flag', args: ['list', '--after', '--json'], given: {flags: {after: '--json'}}},
    {name: 'the last of two values', args: ['list', '--after', 'a', '--after', 'b'], given: {flags: {after: 'b'}}},
    {name: 'an argument after --', args: ['get', '--', '--help'], given: {arguments: ['--help']}},
    {
      name: 'flags between arguments',
      args: ['put', 'k', '--json', '1'],
      given: {arguments: ['k', '1'], flags: {json: true}},
    },
    {
      name: 'a negative number',
      args: ['put', 'k', '-12.25e-11', '--json'],
      given: {arguments: ['k', '-12.25e-11'], flags: {json: true}},
    },
    {name: 'a negative number as the value of a flag', args: ['list', '--after', '-5'], given: {flags: {after: '-5'}}},
    {name: 'a setting', args: ['get', 'k', '--port', '1'], given: {arguments: ['k'], settings: {port: '1'}}},
    {name: 'a config file', args: ['list', '--config', 'c.json'], given: {configFile: 'c.json'}},
    {
      name: 'a setting that is turned off',
      args: ['start', '--no-keep-session'],
      given: {settings: {keepSession: false}},
    },
    {
      name: 'its hidden opposite',
      args: ['start', '--no-keep-session', '--keep-session'],
      given: {settings: {keepSession: true}},
    },
    {name: 'a setting that is turned on', args: ['start', '--ephemeral'], given: {settings: {ephemeral: true}}},
    {
      name: 'a repeated setting',
      args: ['start', '--allow-host', 'a', '--allow-host', 'b'],
      given: {settings: {allowHosts: ['a', 'b']}},
    },
    {
      name: 'a name of Object.prototype as an argument',
      args: ['list', 'constructor'],
      given: {arguments: ['constructor']},
    },
  ];
  for (const {name, args, given} of parsed) {
    test(`reads ${name}`, () => {
      const line = parseCommandLine(args);
      assert.equal(line.kind, 'run');
      const {arguments: operands, flags, settings, configFile} = line.words;
      assert.deepEqual(
        {arguments: operands, flags, settings, configFile},
        {arguments: [], flags: {}, settings: {}, configFile: undefined, ...given},
      );
    });
  }

  const refused = [
    {args: ['constructor'], problem: 'unknown command "constructor"'},
    {args: ['list', '--constructor'], problem: 'unknown flag "--constructor"'},
    {args: ['list', '--__proto__=1'], problem: 'unknown flag "--__proto__"'},
    {args: ['list', '-r'], problem: 'unknown flag "-r"'},
    {args: ['list', '--no-reverse'], problem: 'unknown flag "--no-reverse"; did you mean --reverse?'},
    {args: ['get'], problem: 'KEY is missing'},
  ];
  for (const {args, problem} of refused) {
    test(`refuses "crewroom ${args.join(' ')}"`, () => {
      assert.throws(
        () => parseCommandLine(args),
        error => {
          const failed = error instanceof AdvisedError ? error.failed : error;
          assert.ok(AppError.is(failed));
          assert.equal(failed.code, 'invalid-usage');
          assert.ok(failed.message.endsWith(`: ${problem}`), failed.message);
          return true;
        },
      );
    });
  }
});
