import {decodeIfEncoded} from '../../../core/domain/percent-encoding.ts';
import {countLines, type PluginFinding, type TextFile} from './finding.ts';

/** A page, and the files that it can load. */
export interface PageParts {
  /** Undefined if the manifest is wrong. */
  readonly id: string | undefined;
  /** Paths of all files in the folder of the plugin, with slashes. */
  readonly files: ReadonlySet<string>;
}

/** Finds what an HTML file of a page loads from a wrong place: outside its base, missing files, and other servers. */
export function* checkPage(page: TextFile, parts: PageParts): Iterable<PluginFinding> {
  for (const reference of findReferences(page)) yield* judge(reference, page, parts);
}

/** Finds style sheets of other servers that a style sheet of a page loads. */
export function* checkStyles({path, text}: TextFile): Iterable<PluginFinding> {
  const lineAt = countLines(text);
  for (const {index, groups} of text.matchAll(IMPORT))
    yield describeForeign({what: 'style sheet', address: groups?.['address'] ?? '', line: lineAt(index)}, path);
}

const IMPORT = /@import\s{0,9}(?:url\(\s{0,9})?['"]?(?<address>(?:https?:)?\/\/[^'")\s]{1,300})/gi;

/** An address that a tag loads. */
interface Reference {
  readonly what: 'script' | 'style sheet' | 'file';
  readonly address: string;
  readonly line: number;
}

/** Tags that load something when the page is shown, with their attributes. */
const TAGS = /<(?<tag>script|link|img)\b(?<attributes>[^<>]{0,4000})>/gi;

function* findReferences({text}: TextFile): Iterable<Reference> {
  const visible = blankComments(text);
  const lineAt = countLines(visible);
  for (const {index, groups} of visible.matchAll(TAGS)) {
    const {tag = '', attributes = ''} = groups ?? {};
    const reference = readReference(tag.toLowerCase(), attributes, lineAt(index));
    if (reference !== undefined) yield reference;
  }
}

/** Replaces comments by blanks, so that lines stay the same. */
function blankComments(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const begin = text.indexOf('<!--', at);
    const end = begin < 0 ? -1 : text.indexOf('-->', begin);
    if (end < 0) return parts.join('') + text.slice(at);
    parts.push(text.slice(at, begin), text.slice(begin, end).replace(/[^\n]/g, ' '));
    at = end;
  }
  return parts.join('');
}

function readReference(tag: string, attributes: string, line: number): Reference | undefined {
  const address = readAttribute(attributes, tag === 'link' ? 'href' : 'src');
  const relation = tag === 'link' ? (readAttribute(attributes, 'rel') ?? '').toLowerCase() : '';
  // Other relations load nothing, such as preconnect and canonical.
  if (address === undefined || (tag === 'link' && !/stylesheet|icon|modulepreload|manifest/.test(relation)))
    return undefined;
  if (tag === 'script' || relation.includes('modulepreload')) return {what: 'script', address, line};
  return {what: relation.includes('stylesheet') ? 'style sheet' : 'file', address, line};
}

function readAttribute(attributes: string, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|[\\s"'])${name}\\s{0,9}=\\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
  const [, double, single, bare] = pattern.exec(attributes) ?? [];
  return (double ?? single ?? bare)?.trim();
}

/** Addresses of other servers. Pages were written for the original address of the service, which is replaced. */
const FOREIGN = /^(?:https?:)?\/\/(?!(?:localhost|127\.0\.0\.1):7172\/)/i;

function judge(reference: Reference, page: TextFile, {id, files}: PageParts): readonly PluginFinding[] {
  const {what, address, line} = reference;
  if (FOREIGN.test(address)) return what === 'file' ? [] : [describeForeign(reference, page.path)];
  if (address === '' || /^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('/api/')) return [];
  const found = {level: what === 'file' ? 'warning' : 'problem', file: page.path, line} as const;
  const base = `/plugins/${id}/`;
  if (address.startsWith('/') && !address.startsWith(base)) {
    if (id === undefined) return [];
    const advice = `Build it with the base "${base}": base in Vite, output.publicPath in webpack, homepage in Create React App`;
    return [{...found, problem: `loads ${JSON.stringify(address)}, which is outside of "${base}"`, advice}];
  }
  const file = address.startsWith('/') ? `ui/${address.slice(base.length)}` : resolveIn(page.path, address);
  if (files.has(withoutQuery(file))) return [];
  return [
    {
      ...found,
      problem: `loads ${JSON.stringify(address)}, and there is no ${withoutQuery(file)}`,
      advice: 'Add the file, which a build takes from public/, or remove what loads it',
    },
  ];
}

function describeForeign({what, address, line}: Reference, file: string): PluginFinding {
  return {
    level: 'warning',
    file,
    line,
    problem: `loads the ${what} ${address}`,
    advice: 'Add it to the build: without a connection it is missing, and its server could change what the page does',
  };
}

/** Resolves a relative address against the path of a page. Returns one that no browser could load as it is. */
function resolveIn(page: string, address: string): string {
  const base = `file:///${page.split('/').map(encodeURIComponent).join('/')}`;
  return URL.canParse(address, base) ? new URL(address, base).pathname.slice(1) : address;
}

function withoutQuery(path: string): string {
  return decodeIfEncoded(path.replace(/[?#].*$/s, ''));
}
