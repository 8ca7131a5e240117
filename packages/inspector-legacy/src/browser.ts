import type { Inspector } from '@dramaturg/inspector';
import { createDevTools, inspect } from '@xstate/inspect';
import { showServices } from './services.ts';

export interface LegacyPageOptions {
  /** The page that shows XState 4; one that calls `createWindowReceiver`. */
  readonly url: string;
  /** Where it is shown; a window of its own when left out. */
  readonly iframe?: HTMLIFrameElement;
}

/**
 * Shows the actors that an inspector sees on a page that speaks the protocol of `@xstate/inspect`, from the page in which
 * they run. Events sent from there reach the actors.
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
