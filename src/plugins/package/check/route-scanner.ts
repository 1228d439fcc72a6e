import {type Token, type TokenType, tokTypes} from 'acorn';

const {braceL, braceR, bracketL, colon, comma, dollarBraceL, ellipsis, eq, parenL} = tokTypes;

const OPENING: ReadonlySet<TokenType> = new Set([braceL, dollarBraceL, parenL, bracketL]);
const CLOSING: ReadonlySet<TokenType> = new Set([braceR, tokTypes.parenR, tokTypes.bracketR]);

/** Depths of the keys of an object of routes, and of those of its methods. */
const METHODS = 1;
const ROUTES = 2;

/** A key in an object of routes. */
export interface RouteKey {
  readonly name: string;
  /** From 1. */
  readonly line: number;
}

/** Finds the keys of objects that are called `routes`: `routes: {get: {name: …}}` and `exports.routes = {…}`. */
export class RouteScanner {
  readonly methods: RouteKey[] = [];
  readonly routes: RouteKey[] = [];
  /** True if there may be more: keys that are computed, and methods that are no literal objects. */
  hasMore = false;
  #before: readonly [Token | undefined, Token | undefined] = [undefined, undefined];
  /** Number of brackets that are open since the beginning of an object of routes; 0 outside of one. */
  #depth = 0;
  /** True if the next name is a key. */
  #isAtKey = false;
  /** The last name at the place of a key; `async` and the like stand before it. */
  #key: RouteKey | undefined;
  /** True in the object of a method. */
  #isInMethod = false;

  /** Takes the next token. */
  take(token: Token, line: number): void {
    const [name, sign] = this.#before;
    if (this.#depth > 0) this.#takeInside(token, line);
    else if (
      token.type === braceL &&
      name !== undefined &&
      textOf(name) === 'routes' &&
      (sign?.type === colon || sign?.type === eq)
    )
      this.#open(true);
    this.#before = [sign, token];
  }

  #takeInside(token: Token, line: number): void {
    const {type} = token;
    const [, previous] = this.#before;
    const isValueOfMethod = this.#depth === METHODS && previous?.type === colon;
    if (isValueOfMethod && type !== braceL) this.hasMore = true;
    if (this.#depth === METHODS || (this.#depth === ROUTES && this.#isInMethod)) this.#takeAtKeys(token, line);
    if (OPENING.has(type)) {
      if (this.#depth === METHODS) this.#isInMethod = isValueOfMethod;
      this.#open(this.#depth === METHODS && this.#isInMethod && type === braceL);
    } else if (CLOSING.has(type)) this.#depth--;
  }

  #open(hasKeys: boolean): void {
    this.#depth++;
    this.#isAtKey = hasKeys;
  }

  #takeAtKeys(token: Token, line: number): void {
    const {type} = token;
    const name = textOf(token);
    if (!this.#isAtKey) {
      this.#isAtKey = type === comma;
    } else if (type === ellipsis || type === bracketL) {
      this.hasMore = true;
      this.#isAtKey = false;
    } else if (type === colon || type === parenL || type === comma || type === braceR) {
      this.#complete();
      this.#isAtKey = type === comma;
      if (this.#depth === METHODS && type !== colon && type !== braceR) this.hasMore = true;
    } else if (name !== undefined) this.#key = {name, line};
  }

  #complete(): void {
    if (this.#key !== undefined) (this.#depth === METHODS ? this.methods : this.routes).push(this.#key);
    this.#key = undefined;
  }
}

/** Returns the text of a name, a keyword, a string or a part of a template; undefined for any other token. */
export function textOf(token: Token): string | undefined {
  // The types of the library lack this member.
  const value: unknown = Reflect.get(token, 'value');
  return typeof value === 'string' ? value : undefined;
}
