import {isServicePath} from '../../manifest/reserved-ids.ts';
import type {PluginFinding, TextFile} from './finding.ts';
import {type Literal, type SourceFacts, scanSource} from './scan-source.ts';

/** A program of a plugin, and facts about it. */
interface Source {
  readonly path: string;
  readonly facts: SourceFacts;
}

/**
 * Finds calls of paths that the service does not have, and routes that are never called, in the programs of a plugin. Their texts can
 * mean something else, so everything is a warning.
 *
 * @param id Undefined if the manifest is wrong.
 */
export function checkSources(
  id: string | undefined,
  {background, page}: {readonly background: readonly TextFile[]; readonly page: readonly TextFile[]},
): readonly PluginFinding[] {
  const backgrounds = background.flatMap(scan);
  const routes = collectRoutes(backgrounds);
  const known = {id, routes, routeNames: nameRoutes(routes)};
  const sources = [...backgrounds, ...page.flatMap(scan)];
  return [
    ...backgrounds.flatMap(findWrongMethods),
    ...sources.flatMap(({path, facts}) =>
      facts.literals.flatMap(literal => describeLiteral(literal, known).map(found => ({file: path, ...found}))),
    ),
  ];
}

function scan({path, text}: TextFile): readonly Source[] {
  const facts = scanSource(text);
  return facts === undefined ? [] : [{path, facts}];
}

/** Returns the names of all routes of a background; undefined if they cannot be known from its text. */
function collectRoutes(sources: readonly Source[]): ReadonlySet<string> | undefined {
  const all = sources.flatMap(({facts}) => facts.routes);
  if (all.length === 0 || sources.some(({facts}) => facts.hasMoreRoutes)) return undefined;
  return new Set(all.map(({name}) => name));
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post']);
const OTHER_METHODS: ReadonlySet<string> = new Set(['all', 'delete', 'head', 'options', 'patch', 'put', 'use']);

function findWrongMethods({path, facts}: Source): readonly PluginFinding[] {
  const wrong = facts.methods.filter(({name}) => {
    const method = name.toLowerCase();
    return !METHODS.has(name) && (METHODS.has(method) || OTHER_METHODS.has(method));
  });
  return wrong.map(({name, line}) => ({
    level: 'warning',
    file: path,
    line,
    problem: `has routes under ${JSON.stringify(name)}, which are never called`,
    advice: 'Use routes.get and routes.post, in lower case',
  }));
}

interface Known {
  readonly id: string | undefined;
  readonly routes: ReadonlySet<string> | undefined;
  /** Names of the first routes, for people. */
  readonly routeNames: string;
}

/** Maximum number of routes that a finding names. */
const NAMED_ROUTES_MAX = 20;

function nameRoutes(routes: ReadonlySet<string> = new Set()): string {
  const names = [...routes].slice(0, NAMED_ROUTES_MAX).map(cut);
  return names.length < routes.size ? `${names.join(', ')} and ${routes.size - names.length} more` : names.join(', ');
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
  {id, routes, routeNames}: Known,
): Pick<PluginFinding, 'problem' | 'advice'> | undefined {
  const {segment = '', slash, rest = ''} = CALL.exec(text)?.groups ?? {};
  // Something may follow an open text.
  if (segment === '' || (isOpen && slash === '')) return undefined;
  if (segment === id) {
    if (routes === undefined || rest === '' || isOpen || routes.has(rest)) return undefined;
    return {problem: `calls ${shown(text)}, and the background has no such route`, advice: `It has ${routeNames}`};
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
