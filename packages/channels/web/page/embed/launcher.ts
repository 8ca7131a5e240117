import type { FromChat, KeptName, ToChat } from '../../src/launcher-protocol.ts';
import type { LauncherConfig } from '../../src/protocol.ts';
import { textOn } from '../chat/accent.ts';
import { StoredValues } from '../chat/net/stored-values.ts';
import { icon } from '../chat/view/element.ts';
import { icons } from '../chat/view/icons.ts';

const keptNames: readonly KeptName[] = ['session', 'outbox', 'written', 'talking'];

export interface LauncherOptions {
  readonly config: LauncherConfig;
  /** The address of the channel. */
  readonly address: URL;
  /** The default of the channel when left out. */
  readonly definition: string | undefined;
  /** The customer who is logged in, signed by the site's server. */
  readonly identity: string | undefined;
}

/**
 * The button on a site that opens the chat. The chat is a page of the channel in a frame, so site and chat cannot reach into each
 * other. The button is in a shadow tree, so styles of the site do not change it.
 */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #host = document.createElement('dramaturg-chat');
  readonly #panel = document.createElement('div');
  readonly #button = document.createElement('button');
  readonly #badge = document.createElement('span');
  /** Values of the chat, in the storage of the site. */
  readonly #kept: StoredValues;
  #frame: HTMLIFrameElement | undefined;
  #identity: string | null;
  #isReady = false;
  #isOpen = false;

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#identity = options.identity ?? null;
    const { address, definition = '' } = options;
    this.#kept = new StoredValues(`${address.href}:${definition}`);
    const { accent, wording } = options.config;
    const root = this.#host.attachShadow({ mode: 'open' });
    const styles = new CSSStyleSheet();
    styles.replaceSync(launcherStyles);
    root.adoptedStyleSheets = [styles];
    // Rules of the site for all elements would override those of the shadow tree for its host.
    for (const [name, value] of Object.entries(hostStyle))
      this.#host.style.setProperty(name, value, 'important');
    this.#host.style.setProperty('--accent', accent);
    this.#host.style.setProperty('--on-accent', textOn(accent));
    this.#panel.className = 'panel';
    this.#button.type = 'button';
    this.#button.className = 'launcher';
    this.#button.append(icon(icons.chat), icon(icons.close), this.#badge);
    this.#button.setAttribute('aria-label', wording.open);
    this.#button.setAttribute('aria-expanded', 'false');
    this.#button.addEventListener('click', () => (this.#isOpen ? this.close() : this.open()));
    this.#badge.className = 'badge';
    this.#badge.hidden = true;
    root.append(this.#panel, this.#button);
    addEventListener('message', (event: MessageEvent<FromChat>) => this.#receive(event));
    this.#host.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' && this.#isOpen) this.close();
    });
  }

  attach(): void {
    document.body.append(this.#host);
    // A visitor who has talked before learns of new messages.
    if (this.#kept.get('talking') !== undefined) this.#load();
  }

  open(): void {
    this.#load();
    this.#show(true);
    if (this.#isReady) this.#frame?.focus();
  }

  close(): void {
    this.#show(false);
    this.#button.focus();
  }

  identify(identity: string | null): void {
    this.#identity = identity;
    if (this.#isReady) this.#send({ dramaturg: 'identify', identity });
  }

  #show(isOpen: boolean): void {
    const { wording } = this.#options.config;
    this.#isOpen = isOpen;
    this.#button.setAttribute('aria-expanded', String(isOpen));
    this.#button.setAttribute('aria-label', isOpen ? wording.close : wording.open);
    this.#host.classList.toggle('open', isOpen);
    if (this.#isReady) this.#send({ dramaturg: 'shown', isShown: isOpen });
  }

  #load(): void {
    if (this.#frame) return;
    const { address, definition, config } = this.#options;
    const url = new URL(address);
    if (definition !== undefined) url.searchParams.set('definition', definition);
    url.hash = `origin=${location.origin}`;
    this.#frame = document.createElement('iframe');
    this.#frame.title = config.wording.title;
    this.#frame.src = url.href;
    this.#panel.append(this.#frame);
  }

  #receive({ source, origin, data }: MessageEvent<FromChat>): void {
    const isChat = source === this.#frame?.contentWindow && origin === this.#options.address.origin;
    if (!isChat || source === null) return;
    switch (data.dramaturg) {
      case 'ready':
        this.#isReady = true;
        this.#begin();
        if (this.#isOpen) this.#frame?.focus();
        break;
      case 'close':
        this.close();
        break;
      case 'keep':
        if (keptNames.includes(data.name)) this.#kept.set(data.name, data.value ?? undefined);
        break;
      case 'unread':
        this.#showUnread(data.count);
    }
  }

  #begin(): void {
    const kept: Partial<Record<KeptName, string>> = {};
    for (const name of keptNames) {
      const value = this.#kept.get(name);
      if (value !== undefined) kept[name] = value;
    }
    const [identity, isShown] = [this.#identity, this.#isOpen];
    this.#send({ dramaturg: 'begin', kept, identity, isShown });
  }

  #showUnread(count: number): void {
    const { wording } = this.#options.config;
    const text = `${wording.open}. ${wording.unread.replace('{count}', String(count))}`;
    this.#badge.hidden = count === 0;
    this.#badge.textContent = count > 9 ? '9+' : String(count);
    if (!this.#isOpen) this.#button.setAttribute('aria-label', count === 0 ? wording.open : text);
  }

  #send(message: ToChat): void {
    this.#frame?.contentWindow?.postMessage(message, this.#options.address.origin);
  }
}

/** The place of the launcher on a site. */
const hostStyle = {
  all: 'initial',
  position: 'fixed',
  right: '20px',
  bottom: '20px',
  'z-index': '2147483000',
} as const;

/** Styles inside the shadow tree of the launcher. The content policy of a site does not matter to them. */
const launcherStyles = `
:host {
  color-scheme: light dark;
}
[hidden] { display: none !important; }
.launcher {
  position: relative;
  display: grid;
  place-items: center;
  width: 60px;
  height: 60px;
  padding: 0;
  border: 0;
  border-radius: 50%;
  background: var(--accent);
  color: var(--on-accent);
  box-shadow: 0 4px 18px rgb(0 0 0 / 25%);
  cursor: pointer;
  transition: transform 0.15s;
}
.launcher:hover { transform: scale(1.06); }
.launcher:focus-visible { outline: 3px solid light-dark(#16181d, #fff); outline-offset: 3px; }
svg {
  grid-area: 1 / 1;
  width: 28px;
  height: 28px;
  fill: none;
  stroke: currentColor;
  stroke-width: 2;
  stroke-linecap: round;
  stroke-linejoin: round;
}
:host(.open) svg:first-of-type, :host(:not(.open)) svg:last-of-type { display: none; }
.badge {
  position: absolute;
  top: -4px;
  right: -4px;
  min-width: 22px;
  height: 22px;
  padding: 0 6px;
  border-radius: 11px;
  background: #b3261e;
  color: #fff;
  font: 600 13px/22px system-ui, sans-serif;
  text-align: center;
  box-sizing: border-box;
}
.panel {
  /* A frame that is not displayed counts as hidden, and a hidden page gives its connection back. */
  visibility: hidden;
  pointer-events: none;
  position: absolute;
  right: 0;
  bottom: 76px;
  width: min(400px, calc(100vw - 40px));
  height: min(680px, calc(100dvh - 116px));
  border-radius: 16px;
  overflow: hidden;
  background: light-dark(#fff, #16181d);
  box-shadow: 0 10px 44px rgb(0 0 0 / 25%);
}
iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: light dark; }
:host(.open) .panel { visibility: visible; pointer-events: auto; }
@media (max-width: 480px) {
  :host(.open) .panel { position: fixed; inset: 0; width: 100%; height: 100dvh; border-radius: 0; }
  :host(.open) .launcher { display: none; }
}
@media (prefers-reduced-motion: reduce) { .launcher { transition: none; } }
`;
