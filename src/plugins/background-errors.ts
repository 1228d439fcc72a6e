import type {PluginAnswer, PluginError, PluginRequest} from '../domain/plugins/plugin.ts';
import {AppError} from '../failures/app-error.ts';

/** Errors of a background since it was started. */
export class BackgroundErrors {
  readonly #onChange: () => void;
  #ofStart: PluginError | undefined;
  #ofCall: PluginError | undefined;

  /** @param onChange Called after each change of {@link last}, but for {@link clear}. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Error of its load or its start, or else of the last call that failed. */
  get last(): PluginError | undefined {
    return this.#ofStart ?? this.#ofCall;
  }

  clear(): void {
    this.#ofStart = undefined;
    this.#ofCall = undefined;
  }

  /** Keeps the error of its load or its start. */
  noteStart(error: PluginError): void {
    this.#ofStart = error;
    this.#onChange();
  }

  /** Keeps the error of a route that throws, until the route answers. Never rejects. */
  async noteCall({method, name, url}: PluginRequest, answered: Promise<PluginAnswer>): Promise<void> {
    const during = `${method} ${name}`;
    try {
      await answered;
      if (this.#ofCall?.during !== during) return;
      this.#ofCall = undefined;
    } catch (error) {
      if (!(error instanceof AppError) || error.failure.code !== 'plugin-failed') return;
      const {problem: message, place} = error.failure;
      const request = `${method} ${url.split('?', 1)[0]}`;
      this.#ofCall = {during, message, request, ...(place === undefined ? {} : {place})};
    }
    this.#onChange();
  }
}
