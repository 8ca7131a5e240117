import type { FromChat, ToChat } from '../../src/launcher-protocol.ts';
import { config } from './config.ts';

export interface ParentFrameOptions {
  readonly identify: (identity: string | undefined) => void;
  readonly shown: (isShown: boolean) => void;
}

/** The page around the chat, where a launcher shows the chat in a frame. */
export class ParentFrame {
  readonly #origin: string | undefined;

  constructor({ identify, shown }: ParentFrameOptions) {
    this.#origin = parentOrigin();
    addEventListener('message', ({ source, origin, data }: MessageEvent<ToChat>) => {
      // Another frame, or a site that may not show the chat, is not listened to.
      if (source !== parent || parent === window || origin !== this.#origin) return;
      if (data.dramaturg === 'identify') identify(data.identity ?? undefined);
      else if (data.dramaturg === 'shown') shown(data.isShown);
    });
  }

  /** Whether a launcher shows the chat. */
  get isPresent(): boolean {
    return this.#origin !== undefined;
  }

  /** Whether the launcher will say who the visitor is. */
  get willIdentify(): boolean {
    return this.isPresent && location.hash.includes('identify');
  }

  send(message: FromChat): void {
    if (this.#origin !== undefined) parent.postMessage(message, this.#origin);
  }
}

/** The browser shows the page only on the sites of its content policy. The launcher says on which one it is. */
function parentOrigin(): string | undefined {
  if (parent === window) return undefined;
  const given = new URLSearchParams(location.hash.slice(1)).get('origin');
  return [location.origin, ...config.origins].find((origin) => origin === given);
}
