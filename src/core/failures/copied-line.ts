/**
 * A word of a line: a text of ours, such as a flag or the path of an own file; one from outside, such as a key, an origin or the name of a file of
 * others; or the body of a request.
 */
export type LineWord = string | {readonly outside: string} | {readonly body: string};

/**
 * Formats a line for people to copy, whose words the shell passes on exactly. No other function does.
 *
 * No quotes are right for both shells of Windows: there a word is plain, or is ours and has nothing that one of them changes in double quotes.
 *
 * @param words A plain word, the program, and others.
 * @param platform That of the reader, such as `win32`; `any` if it is not known: then all words have to be plain.
 * @returns Undefined if a word cannot be written, or is from outside and could be a flag: then the caller writes a note in its place.
 *
 * @example
 * ```ts
 * import {formatLine} from 'crewroom/client/service';
 *
 * console.log(formatLine(['crewroom', 'get', {outside: 'a;b'}], 'linux')); // crewroom get 'a;b'
 * console.log(formatLine(['crewroom', 'get', {outside: 'a;b'}], 'win32')); // undefined
 * ```
 */
export function formatLine(words: readonly [string, ...LineWord[]], platform: string): string | undefined {
  const written = words.map(word => writeWord(word, platform));
  return PLAIN.test(words[0]) && !written.includes(undefined) ? written.join(' ') : undefined;
}

/**
 * Formats the command that gives a plugin what it lacks, with the permissions that are plain words. Others are never proposed: a page chooses
 * the keys that it asks for.
 *
 * @returns The line, undefined if nothing is left of it, and the number of permissions that it leaves out.
 *
 * @example
 * ```ts
 * import {formatGrant} from 'crewroom/client/service';
 *
 * const {line, leftOut} = formatGrant('com.example.hello', ['identity:secrets', 'entries:read:a admin/']);
 * console.log(line, leftOut); // crewroom access grant com.example.hello identity:secrets 1
 * ```
 */
export function formatGrant(plugin: string, permissions: readonly string[]) {
  const plain = permissions.filter(outside => writeWord({outside}, 'any') !== undefined);
  const line = formatLine(['crewroom', 'access', 'grant', {outside: plugin}, ...plain], 'any');
  return {line: plain.length === 0 ? undefined : line, leftOut: permissions.length - plain.length};
}

/** Characters that each shell reads as they are, wherever they stand in a word. PowerShell passes `-a.b` on as two. */
const PLAIN = /^(?!-[A-Za-z_].*[.:])[A-Za-z0-9._:/-]+$/;

/** The same for POSIX shells. Some expand a word that begins with "=". */
const POSIX_PLAIN = /^(?!=)[\w@%+=:,./-]+$/;

/** Characters that cmd or PowerShell, for which typographic quotes are quotes, change in double quotes or in a script of cmd. */
const CHANGED = /["$`%!^&|<>\u2018-\u201f]/;

/** Characters that terminals obey or do not show, which the command line therefore prints as something else. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/u;

/** Characters that a terminal obeys in a body too, which may have several lines and any direction of writing; and a line that bash changes in quotes too. */
const OBEYED = /(?![\t\r\n])\p{Cc}|\n\^/u;

function writeWord(word: LineWord, platform: string): string | undefined {
  const isOwn = typeof word === 'string';
  const isBody = !isOwn && 'body' in word;
  const text = isOwn ? word : 'body' in word ? word.body : word.outside;
  const isPosix = platform !== 'win32' && platform !== 'any';
  if (text.startsWith('-') && !isOwn && !(isPosix && isBody)) return undefined;
  if (PLAIN.test(text)) return text;
  if (platform === 'any' || (isBody ? OBEYED : UNSEEN).test(text)) return undefined;
  if (isPosix) return POSIX_PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  return isOwn && /[^\\]$/.test(text) && !CHANGED.test(text) ? `"${text}"` : undefined;
}
