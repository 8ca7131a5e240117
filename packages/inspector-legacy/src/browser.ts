import type { Inspector } from '@dramaturg/inspector';
import { createDevTools, inspect } from '@xstate/inspect';
import { showServices } from './services.ts';

export interface LegacyPageOptions {
  /** The address of a page that shows XState 4 and calls `createWindowReceiver`. */
  readonly url: string;
  /** The frame that shows the page; by default a new window. */
  readonly iframe?: HTMLIFrameElement;
}

/**
 * Shows the actors that an inspector sees on a page that speaks the protocol of `@xstate/inspect`, from the page in which they run. Events
 * sent on that page reach the actors.
 */
export function inspectLegacy(
  inspector: Inspector,
  { url, iframe }: LegacyPageOptions,
): { readonly disconnect: () => void } {
  const devTools = createDevTools();
  const legacy = inspect({ url, iframe: iframe ?? false, devTools });
  const stop = showServices(inspector, devTools);
  return {
    disconnect: () => {
      stop();
      legacy?.disconnect();
    },
  };
}
