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
 * Formats a request as a curl command for POSIX shells, which sends exactly this address, these headers and this body. Without characters that shells
 * change, it works in every shell.
 */
export function formatCurl({method, url, headers = {}, body}: CurlRequest, isWindows: boolean = IS_WINDOWS): string {
  // In Windows PowerShell 5, `curl` is another command.
  const parts = [isWindows ? 'curl.exe' : 'curl'];
  if (method === 'HEAD') parts.push('--head');
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push('-X', quote(method));
  // Otherwise curl reads lists and ranges in brackets, and removes segments such as "..".
  if (/[[\]{}]/.test(url)) parts.push('--globoff');
  if (/\/\.{1,2}(?:[/?#]|$)/.test(url)) parts.push('--path-as-is');
  parts.push(quote(url));
  // A header without a value ends with a semicolon: with a colon, curl sends none.
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`));
  // Not `--data`, which reads a file after "@" and removes line breaks.
  if (body !== undefined) parts.push('--data-raw', quote(body));
  return parts.join(' ');
}

/** Quotes a text for a POSIX shell, unless it consists of harmless characters. */
function quote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
