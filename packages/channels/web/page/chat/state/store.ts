import { type ChatState, initialState } from './chat-state.ts';

/** Owns the state of the page. */
export class Store {
  #state: ChatState = initialState;
  readonly #listeners: ((state: ChatState, before: ChatState) => void)[] = [];

  get state(): ChatState {
    return this.#state;
  }

  update(change: (state: ChatState) => ChatState): void {
    const before = this.#state;
    this.#state = change(before);
    if (this.#state === before) return;
    for (const listener of this.#listeners) listener(this.#state, before);
  }

  onChange(listener: (state: ChatState, before: ChatState) => void): void {
    this.#listeners.push(listener);
  }
}
