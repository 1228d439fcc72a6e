import {isServicePath} from '../../manifest/reserved-ids.ts';
import {copyPart, type PluginFinding, type TextFile} from './finding.ts';
import {type Literal, type SourceFacts, scanSource} from './scan-source.ts';

/** Maximum number of routes whose names are kept. Published backgrounds have some dozens. */
const ROUTES_MAX = 10_000;

/** Maximum number of routes that a finding names. */
const NAMED_ROUTES_MAX = 20;

/** Names of the routes of a background. */
export class RouteNames {
  readonly #names = new Set<string>();
  #areAllKnown = true;

  /** Adds the routes of a program. @param facts Undefined if it is not JavaScript. */
  add(facts: SourceFacts | undefined): void {
    if (facts === undefined) return;
    for (const {name} of facts.routes.slice(0, ROUTES_MAX)) this.#names.add(copyPart(name));
    if (facts.hasMoreRoutes || this.#names.size >= ROUTES_MAX) this.#areAllKnown = false;
  }

  /** Returns whether a route is missing; false if not all names can be known from the texts of the background. */
  isMissing(name: string): boolean {
    return this.#areAllKnown && this.#names.size > 0 && !this.#names.has(name);
  }

  /** Lists the first names, for people. */
  describe(): string {
    const {size} = this.#names;
    const named = [...this.#names].slice(0, NAMED_ROUTES_MAX).map(cut).join(', ');
    return size > NAMED_ROUTES_MAX ? `${named} and ${size - NAMED_ROUTES_MAX} more` : named;
  }
}

/** Facts about a plugin, beside those in the program that is checked. */
export interface Known {
  /** Undefined if the manifest is wrong. */
  readonly id: string | undefined;
  readonly routes: RouteNames;
}

/**
 * Finds routes that are never called, paths of other plugins, and calls of paths that the service does not have, in a program of a
 * background or a page. Its texts can mean something else, so everything is a warning.
 */
export function* checkProgram({path, text}: TextFile, known: Known): Iterable<PluginFinding> {
  const facts = scanSource(text);
  if (facts === undefined) return;
  if (path.startsWith('background/')) for (const found of findWrongMethods(facts)) yield {file: path, ...found};
  if (path.startsWith('ui/') && facts.sessionLine !== undefined)
    yield {file: path, line: facts.sessionLine, ...describeSession(known.id ?? 'ID')};
  for (const literal of facts.literals)
    for (const found of describeLiteral(literal, known)) yield {file: path, ...found};
}

function describeSession(id: string): Omit<PluginFinding, 'file' | 'line'> {
  return {
    level: 'warning',
    problem: 'reads va_user.session, which a page gets in the mode open only',
    advice: `Let the background of the plugin call the airline, or tell users to run "crewroom access grant ${id} identity:secrets"`,
  };
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post']);
const OTHER_METHODS: ReadonlySet<string> = new Set(['all', 'delete', 'head', 'options', 'patch', 'put', 'use']);

function* findWrongMethods({methods}: SourceFacts): Iterable<Omit<PluginFinding, 'file'>> {
  for (const {name, line} of methods) {
    const method = name.toLowerCase();
    if (METHODS.has(name) || !(METHODS.has(method) || OTHER_METHODS.has(method))) continue;
    yield {
      level: 'warning',
      line,
      problem: `has routes under ${JSON.stringify(name)}, which are never called`,
      advice: 'Use routes.get and routes.post, in lower case',
    };
  }
}

/** A path below `/api/`, at the original address of the service or at none. */
const CALL =
  /^(?:https?:\/\/(?:localhost|127\.0\.0\.1):7172)?\/api\/(?<segment>[^/?#\s]+)(?<slash>\/?)(?<rest>[^?#\s]*)/;

/** The base of a page, such as that of a router. */
const PAGE = /^\/plugins\/(?<other>[A-Za-z0-9_-]+\.[A-Za-z0-9._-]+)(?:\/|$)/;

function describeLiteral(literal: Literal, known: Known): readonly Omit<PluginFinding, 'file'>[] {
  const {id} = known;
  const {text, line} = literal;
  const other = PAGE.exec(text)?.groups?.['other'];
  if (other !== undefined && id !== undefined && other !== id)
    return [
      {
        level: 'warning',
        line,
        problem: `has the path ${shown(text)}, and the id of this plugin is ${JSON.stringify(id)}`,
        advice: `Use "/plugins/${id}/"`,
      },
    ];
  const problem = findCallProblem(literal, known);
  return problem === undefined ? [] : [{level: 'warning', line, ...problem}];
}

function findCallProblem(
  {text, isOpen}: Literal,
  {id, routes}: Known,
): Pick<PluginFinding, 'problem' | 'advice'> | undefined {
  const {segment = '', slash, rest = ''} = CALL.exec(text)?.groups ?? {};
  // Something may follow an open text.
  if (segment === '' || (isOpen && slash === '')) return undefined;
  if (segment === id) {
    if (rest === '' || isOpen || !routes.isMissing(rest)) return undefined;
    return {
      problem: `calls ${shown(text)}, and the background has no such route`,
      advice: `It has ${routes.describe()}`,
    };
  }
  // The id of another plugin has a dot.
  if (segment.includes('.') || isServicePath(segment)) return undefined;
  return {
    problem: `calls ${shown(text)}, which is not a path of the service`,
    advice: 'The paths are at /docs of the service; routes of the background are at /api/{id}/{name}',
  };
}

/** Maximum length of a text in a finding, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 100;

function shown(text: string): string {
  return JSON.stringify(cut(text));
}

function cut(text: string): string {
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…` : text;
}
