import {mkdir, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {syncDirectory} from '../../files/directory.ts';
import {removeDurably} from '../../files/replace-file.ts';
import type {CliContext} from '../terminal/context.ts';
import type {Autostart} from './autostart.ts';
import {readOwnText} from './own-text.ts';
import {refusedProgram} from './program.ts';
import {findUnitProblem, formatUnit, UNIT_MARK, UNIT_NAME} from './unit.ts';
import {askAboutUnit, changeUnits, readUnitLog} from './user-manager.ts';

/** Lets systemd start the service, by a unit of the user. */
export function createUserUnit(file: string, context: CliContext): Autostart {
  const read = (): Promise<string | undefined> => readOwnText(file, UNIT_MARK);
  return {
    place: file,
    note: 'It starts when you log in; "loginctl enable-linger" lets it start with the machine',
    isInstalled: async () => (await read()) !== undefined,
    install: async program => {
      const problem = findUnitProblem(program);
      if (problem !== undefined) throw refusedProgram(problem);
      const before = await read();
      await mkdir(dirname(file), {recursive: true});
      await writeFile(file, formatUnit(program), {flush: true});
      await syncDirectory(dirname(file));
      try {
        await changeUnits(['daemon-reload'], context);
        await changeUnits(['enable', UNIT_NAME], context);
        await changeUnits(['restart', UNIT_NAME], context);
      } catch (error) {
        // The manager has refused a step already: what it refuses now is nothing new.
        const undo = (command: readonly string[]): Promise<void> => changeUnits(command, context).catch(() => {});
        if (before === undefined) await undo(['disable', '--now', UNIT_NAME]).then(() => removeDurably(file));
        else await writeFile(file, before, {flush: true});
        await undo(['daemon-reload']);
        throw error;
      }
    },
    status: async () => ({
      active: await askAboutUnit('is-active', context, UNIT_NAME),
      enabled: await askAboutUnit('is-enabled', context, UNIT_NAME),
    }),
    logs: lines => readUnitLog(UNIT_NAME, lines, context),
    uninstall: async () => {
      await changeUnits(['disable', '--now', UNIT_NAME], context);
      await removeDurably(file);
      await changeUnits(['daemon-reload'], context);
    },
  };
}
