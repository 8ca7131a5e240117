import type { FromChat, KeptName, ToChat } from '../../src/launcher-protocol.ts';
import { config } from './config.ts';
import type { KeptValues } from './net/stored-values.ts';

export interface ParentFrameOptions {
  /** @param identity signed by the site's server; undefined for an anonymous visitor */
  readonly begin: (identity: string | undefined) => void;
  readonly identify: (identity: string | undefined) => void;
  readonly shown: (isShown: boolean) => void;
}

/** The page around the chat, where a launcher shows the chat in a frame and keeps its values. */
export class ParentFrame implements KeptValues {
  readonly #origin: string | undefined;
  #kept: Partial<Record<KeptName, string>> = {};

  constructor({ begin, identify, shown }: ParentFrameOptions) {
    this.#origin = parentOrigin();
    addEventListener('message', ({ source, origin, data }: MessageEvent<ToChat>) => {
      // Messages from another frame, or from a site that may not show the chat, are ignored.
      if (source !== parent || parent === window || origin !== this.#origin) return;
      switch (data.dramaturg) {
        case 'begin':
          this.#kept = { ...data.kept };
          shown(data.isShown);
          begin(data.identity ?? undefined);
          break;
        case 'identify':
          identify(data.identity ?? undefined);
          break;
        case 'shown':
          shown(data.isShown);
      }
    });
  }

  /** Whether a launcher shows the chat. */
  get isPresent(): boolean {
    return this.#origin !== undefined;
  }

  get(name: KeptName): string | undefined {
    return this.#kept[name];
  }

  set(name: KeptName, value: string | undefined): void {
    if (this.#kept[name] === value) return;
    if (value === undefined) delete this.#kept[name];
    else this.#kept[name] = value;
    this.send({ dramaturg: 'keep', name, value: value ?? null });
  }

  send(message: FromChat): void {
    if (this.#origin !== undefined) parent.postMessage(message, this.#origin);
  }
}

/** The browser shows the page only on the sites of its content policy. The launcher says which site it is on. */
function parentOrigin(): string | undefined {
  if (parent === window) return undefined;
  const given = new URLSearchParams(location.hash.slice(1)).get('origin');
  return [location.origin, ...config.origins].find((origin) => origin === given);
}
