import {resolve} from 'node:path';
import {describeProblem} from '../../domain/client-failure-texts.ts';
import {checkPlugin, type PluginCheck} from '../../plugins/package/check-plugin.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {PLUGIN} from '../catalogue/plugin-commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';
import {type Style, styleOf} from '../terminal/style.ts';
import {withAdvice} from './advised.ts';

/** `crewroom plugin check`: lists all problems of the folder of a plugin. */
export async function check({context, flags}: CallOf<typeof PLUGIN>, name: string): Promise<ExitCode> {
  const {stdout} = context;
  const checked = await withAdvice(
    checkPlugin(resolve(context.workingDirectory, name), JSON.stringify(name)),
    'Give the path of the folder that contains plugin.json',
  );
  const {manifest, problems, warnings, hasBackground, hasPage} = checked;
  const {id, version} = manifest ?? {};
  if (flags.json) await stdout.write(jsonLine({id, version, hasBackground, hasPage, problems, warnings}));
  else await stdout.write(formatCheck(checked, name, styleOf(stdout, context)));
  return problems.length === 0 ? EXIT.ok : EXIT.failure;
}

function formatCheck({manifest, hasBackground, hasPage, ...found}: PluginCheck, name: string, style: Style): string {
  const parts = [hasBackground ? 'background' : '', hasPage ? 'page' : ''].filter(part => part !== '');
  const head =
    manifest === undefined ? name : `${manifest.id} ${manifest.version}: ${parts.join(' and ') || 'nothing'}`;
  const lines = [
    escapeControls(head),
    ...found.problems.map(problem => `${style.red('problem')}  ${escapeControls(describeProblem(problem))}`),
    ...found.warnings.map(warning => `${style.yellow('warning')}  ${escapeControls(warning)}`),
    ...(found.problems.length + found.warnings.length === 0 ? [style.green('no problems')] : []),
  ];
  return lines.map(line => `${line}\n`).join('');
}
