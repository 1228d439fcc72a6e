import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {formatAgent, parseAgent} from './launch-agent.ts';

/** A parser of property lists, in Debian `libplist-utils`. */
const PARSER = '/usr/bin/plistutil';

describe('formatAgent()', () => {
  for (const name of ['node', 'a b', 'a&b <c>', 'ü "d"'])
    test.skipIf(IS_WINDOWS || (!existsSync(PARSER) && process.env['CI'] === undefined))(
      `is a property list with the words of the command, for a program ${JSON.stringify(name)} (needs plistutil)`,
      () => {
        const folder = mkdtempSync(join(tmpdir(), 'crewroom-agent-'));
        onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
        const file = join(folder, 'crewroom.plist');
        const node = `/usr/local/${name}/node`;
        writeFileSync(
          file,
          formatAgent({node, script: '/opt/main.js'}, '/Users/ada/Library/Logs/crewroom/crewroom.log'),
        );
        // By way of the binary form, which has only what the parser understood.
        const binary = join(folder, 'binary');
        execFileSync(PARSER, ['-i', file, '-f', 'bin', '-o', binary]);
        const text = execFileSync(PARSER, ['-i', binary, '-f', 'xml'], {encoding: 'utf8'});
        const words = Array.from(text.matchAll(/<string>(.*)<\/string>/g), ([, word = '']) => unescapeXml(word));
        const logFile = '/Users/ada/Library/Logs/crewroom/crewroom.log';
        const paths = `${dirname(node)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
        const errors = '/Users/ada/Library/Logs/crewroom/start-errors.log';
        expect(words).toEqual(['crewroom', node, '/opt/main.js', 'start', '--log-file', logFile, paths, errors]);
        expect(parseAgent(readFileSync(file, 'utf8'))).toEqual({node, script: '/opt/main.js'});
        const keys = Array.from(text.matchAll(/<key>(.*)<\/key>\s*<([a-z]+)/g), ([, key, type]) => `${key} ${type}`);
        expect(keys).toEqual([
          'Label string',
          'ProgramArguments array',
          'EnvironmentVariables dict',
          'PATH string',
          'StandardErrorPath string',
          'RunAtLoad true',
          'KeepAlive dict',
          'SuccessfulExit false',
          'ThrottleInterval integer',
          'ExitTimeOut integer',
        ]);
      },
    );
});

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
