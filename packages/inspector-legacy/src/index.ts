import type { Inspector } from '@dramaturg/inspector';
import { inspect } from '@xstate/inspect/lib/server.js';
import type { WebSocketServer } from 'ws';
import { gateOf } from './gate.ts';
import { type LegacyDevTools, showServices } from './services.ts';

export interface LegacyServerOptions {
  /** Tools that show XState 4 connect to it, for example with `createWebSocketReceiver`. */
  readonly server: WebSocketServer;
  /** Origins of other pages that may connect, such as `https://stately.ai`. Pages of this computer always may. */
  readonly origins?: readonly string[];
}

/**
 * Shows the actors that an inspector sees to tools that speak the protocol of `@xstate/inspect`, over WebSockets. Events sent by a tool
 * reach the actors.
 *
 *     const inspector = createInspector();
 *     const server = new WebSocketServer({ host: '127.0.0.1', port: 8888 });
 *     const legacy = inspectLegacy(inspector, { server });
 */
export function inspectLegacy(
  inspector: Inspector,
  { server, origins = [] }: LegacyServerOptions,
): { readonly disconnect: () => void } {
  // The types of `ws` differ by whether they are imported or required.
  let stop: (() => void) | undefined;
  // Without a tool, `@xstate/inspect` would keep all messages. The first tool gets the kept part of the recording.
  const onTool = () => {
    stop ??= showServices(inspector, devTools());
  };
  const legacy = inspect({ server: gateOf(server, origins, onTool) as never });
  return {
    disconnect: () => {
      stop?.();
      legacy.disconnect();
    },
  };
}

/** The global object that the server's `inspect` has set. */
function devTools(): LegacyDevTools {
  const { __xstate__: put } = globalThis as unknown as { readonly __xstate__: LegacyDevTools };
  return put;
}
