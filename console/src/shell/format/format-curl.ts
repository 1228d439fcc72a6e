import {formatLine, type LineWord} from 'crewroom/client/service';
import {IS_WINDOWS} from '../system.ts';

/** A request to format for curl. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values. @default {none} */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default {none} */
  readonly body?: string;
}

/**
 * Formats a request as a curl command for the shells of a system, which sends exactly this address, these headers and this body.
 *
 * @returns Undefined if no command does.
 */
export function formatCurl(
  {method, url, headers = {}, body}: CurlRequest,
  isWindows: boolean = IS_WINDOWS,
): string | undefined {
  const parts: LineWord[] = [];
  if (method === 'HEAD') parts.push('--head');
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push('-X', {outside: method});
  // Otherwise curl reads lists and ranges in brackets, and removes segments such as "..".
  if (/[[\]{}]/.test(url)) parts.push('--globoff');
  if (/\/\.{1,2}(?:[/?#]|$)/.test(url)) parts.push('--path-as-is');
  parts.push({outside: url});
  // A header without a value ends with a semicolon: with a colon, curl sends none.
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', {outside: value === '' ? `${name};` : `${name}: ${value}`});
  // Not `--data`, which reads a file after "@" and removes line breaks.
  if (body !== undefined) parts.push('--data-raw', {body});
  // In Windows PowerShell 5, `curl` is another command.
  return formatLine([isWindows ? 'curl.exe' : 'curl', ...parts], isWindows ? 'win32' : 'linux');
}
