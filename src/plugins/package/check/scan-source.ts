import {tokenizer, tokTypes} from 'acorn';
import {type RouteKey, RouteScanner, textOf} from './route-scanner.ts';

/** A text in a program: a string, or a part of a template. */
export interface Literal {
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** True if an expression follows in the same template, so that the text may go on. */
  readonly isOpen: boolean;
}

/** Facts about a program, read from its tokens, without running it. */
export interface SourceFacts {
  /** Texts that may be paths of the service: a program has thousands of others. */
  readonly literals: readonly Literal[];
  /** Keys of objects that are called `routes`, and the keys of these: `get`, and the routes in it. */
  readonly methods: readonly RouteKey[];
  readonly routes: readonly RouteKey[];
  /** True if there may be more routes, since not all keys are names. */
  readonly hasMoreRoutes: boolean;
}

/** Begins like a path, or like the address of a server. */
const MAY_BE_PATH = /^(?:\/|https?:)/;

/** Reads the tokens of a program. @returns Undefined if it is not JavaScript. */
export function scanSource(text: string): SourceFacts | undefined {
  const literals: Literal[] = [];
  const routes = new RouteScanner();
  try {
    for (const token of tokenizer(text, {ecmaVersion: 'latest', allowHashBang: true, locations: true})) {
      const line = token.loc?.start.line ?? 1;
      routes.take(token, line);
      if (token.type !== tokTypes.string && token.type !== tokTypes.template) continue;
      const isOpen = token.type === tokTypes.template && text.startsWith('${', token.end);
      const literal = textOf(token) ?? '';
      if (MAY_BE_PATH.test(literal)) literals.push({text: literal, line, isOpen});
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return {literals, methods: routes.methods, routes: routes.routes, hasMoreRoutes: routes.hasMore};
}
