import {type AppError, refusedSetting} from '../../core/failures/app-error.ts';
import {describeFileError, FileError, readTextFile} from '../../core/files/text-file.ts';
import {readJsonDocument} from '../../core/json/json-document.ts';

/** Maximum size of the configuration, in bytes. Plugins read it whole; published ones use one address in it. */
const CONFIG_BYTES_MAX = 1024 * 1024;

/**
 * Reads the configuration that plugins get from `GET /api/config`: a JSON object in a file, as text.
 *
 * @param file Empty for none.
 * @throws {AppError} `invalid-configuration` if it cannot be read or is not a JSON object.
 */
export async function readPluginConfig(file: string): Promise<string> {
  if (file === '') return '{}';
  const bytes = await readTextFile(file, CONFIG_BYTES_MAX).catch(error => {
    if (!(error instanceof FileError)) throw error;
    throw invalid(file, describeFileError(error, CONFIG_BYTES_MAX));
  });
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) throw invalid(file, reading.problem.problem);
  const {value, json} = reading;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(file, 'is not a JSON object');
  return new TextDecoder().decode(json);
}

function invalid(file: string, problem: string): AppError {
  return refusedSetting('pluginConfig', `${file} ${problem}`);
}
