import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {codeOf, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import {resolvePath} from '../../platform/paths.ts';
import {type AirlineNames, formatAirlineFile} from '../../service/identity/backend/airline-profile.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {existing, invalidUsage} from '../failures/report.ts';
import {BACK_END_QUESTION, parseScriptUrl} from '../input/back-end-address.ts';
import {type CommandOutcome, made} from '../terminal/outcome.ts';
import {askText, canAsk, type Question} from '../terminal/prompts.ts';

type AirlineCall = CallOf<'airline'>;

/** A text to send to pilots, and alert rules for Prometheus: `templates/airline/`, seen from the sources and from the built files alike. */
const TEMPLATES = fileURLToPath(new URL('../../../templates/airline', import.meta.url));

/** File of the airline. Pilots start the service with it. */
const AIRLINE_FILE = 'airline.json';

/** `crewroom airline init`: writes the files that an airline needs. Overwrites nothing. */
export async function run(call: AirlineCall): Promise<CommandOutcome> {
  const {context, flags} = call;
  const given = call.arguments[1] ?? '.';
  const folder = resolvePath(given, context);
  const address = await choose(call, flags.scriptUrl, '--script-url URL', BACK_END_QUESTION);
  const scriptURL = parseScriptUrl(address, 'airline');
  const {hostname} = new URL(scriptURL);
  const name = await choose(call, flags.name, '--name NAME', {message: 'Name of the airline', initial: hostname});
  const question = {message: 'Where pilots ask for help', example: 'crew@air.example'};
  const contact = flags.contact ?? (canAsk(context) ? await askText(question, context) : '');
  const files = await makeFiles({name, icao: flags.icao ?? '', scriptURL}, contact || `the staff of ${name}`);
  await writeFiles(folder, files, given);
  const names = [...files.keys()];
  const written = names.map(each => `Wrote ${join(folder, each)}`);
  const line = formatLine(['crewroom', 'doctor', '--script-url', {outside: scriptURL}], context.platform);
  const next = `Check the back end${line === undefined ? ' with "crewroom doctor --script-url"' : `: ${line}`}`;
  const members =
    'In airline.json scriptURL, airlineName and airlineICAO count; pages show its colours, logo and messages';
  return made({directory: folder, writtenFiles: names}, [...written, members, next]);
}

/** Returns the value of a flag, or asks for it on a terminal. */
async function choose(
  {context}: AirlineCall,
  value: string | undefined,
  flag: string,
  question: Question,
): Promise<string> {
  if (value === undefined && !canAsk(context)) throw invalidUsage('airline', `init requires ${flag}`);
  const chosen = (value ?? (await askText(question, context))).trim();
  if (chosen === '' || /\p{Cc}/u.test(chosen)) throw invalidUsage('airline', `${flag} has to be one line of text`);
  return chosen;
}

/** Makes the texts of all files, by their names. */
async function makeFiles(names: AirlineNames, contact: string): Promise<ReadonlyMap<string, string>> {
  const replaced: Readonly<Record<string, string>> = {
    AIRLINE_NAME: names.name,
    BACK_END: names.scriptURL,
    CONTACT: contact,
  };
  const files = new Map([[AIRLINE_FILE, formatAirlineFile(names)]]);
  for (const file of await readdir(TEMPLATES)) {
    const text = await readFile(join(TEMPLATES, file), 'utf8');
    files.set(
      file,
      text.replace(/\b(?:AIRLINE_NAME|BACK_END|CONTACT)\b/g, word => replaced[word] ?? word),
    );
  }
  return files;
}

/** Writes all files, or none if one exists. */
async function writeFiles(folder: string, files: ReadonlyMap<string, string>, given: string): Promise<void> {
  try {
    await mkdir(folder, {recursive: true});
    const found = (await readdir(folder)).find(name => files.has(name));
    if (found !== undefined)
      throw existing(JSON.stringify(given), 'Name another folder; nothing was written', `it has a file ${found}`);
    for (const [name, text] of files) await writeFile(join(folder, name), text, {flag: 'wx'});
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw unwritableOutput(given, messageOf(error));
  }
}
