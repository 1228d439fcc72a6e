import {type Token, tokenizer, tokTypes} from 'acorn';
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
  /** Line that reads the session of the pilot, such as `va_user.session`, from 1; undefined if none does. */
  readonly sessionLine: number | undefined;
}

/** Maximum number of tokens from one name to the other: between both, compilers write the tests of `va_user?.session` out. */
const SESSION_TOKENS_MAX = 16;

/** Finds a program that reads the session of the pilot: the names `va_user` and `session` near each other, in any order. */
class SessionScanner {
  line: number | undefined;
  #at = 0;
  readonly #last = new Map<string, number>();

  take(token: Token, line: number): void {
    this.#at++;
    const name = token.type === tokTypes.name ? textOf(token) : undefined;
    if (this.line !== undefined || (name !== 'va_user' && name !== 'session')) return;
    this.#last.set(name, this.#at);
    const before = this.#last.get(name === 'session' ? 'va_user' : 'session');
    if (before !== undefined && this.#at - before <= SESSION_TOKENS_MAX) this.line = line;
  }
}

/** Begins like a path, or like the address of a server. */
const MAY_BE_PATH = /^(?:\/|https?:)/;

/** Reads the tokens of a program. @returns Undefined if it is not JavaScript. */
export function scanSource(text: string): SourceFacts | undefined {
  const literals: Literal[] = [];
  const routes = new RouteScanner();
  const session = new SessionScanner();
  try {
    for (const token of tokenizer(text, {ecmaVersion: 'latest', allowHashBang: true, locations: true})) {
      const line = token.loc?.start.line ?? 1;
      routes.take(token, line);
      session.take(token, line);
      if (token.type !== tokTypes.string && token.type !== tokTypes.template) continue;
      const isOpen = token.type === tokTypes.template && text.startsWith('${', token.end);
      const literal = textOf(token) ?? '';
      if (MAY_BE_PATH.test(literal)) literals.push({text: literal, line, isOpen});
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return {
    literals,
    methods: routes.methods,
    routes: routes.routes,
    hasMoreRoutes: routes.hasMore,
    sessionLine: session.line,
  };
}
