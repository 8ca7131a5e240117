import type { LauncherConfig } from '../../src/protocol.ts';
import { Launcher } from './launcher.ts';

/** Written into the built file by the channel. */
declare const dramaturgLauncherConfig: LauncherConfig;

interface DramaturgChat {
  readonly open: () => void;
  readonly close: () => void;
  /** Says which customer is logged in: a token that the site's server has signed, or null after logout. */
  readonly identify: (identity: string | null) => void;
}

declare global {
  interface Window {
    dramaturgChat?: DramaturgChat;
  }
}

/** `currentScript` is set only while the script runs for the first time. */
const script = document.currentScript as HTMLScriptElement | null;

// A page that embeds the script twice has one chat.
if (script && !window.dramaturgChat) {
  const { definition, identity } = script.dataset;
  const launcher = new Launcher({
    config: dramaturgLauncherConfig,
    address: new URL('./', script.src),
    definition,
    identity,
  });
  window.dramaturgChat = {
    open: () => launcher.open(),
    close: () => launcher.close(),
    identify: (given) => launcher.identify(given),
  };
  if (document.body) launcher.attach();
  else addEventListener('DOMContentLoaded', () => launcher.attach());
}
