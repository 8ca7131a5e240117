import './chat.css';
import { applyAccent } from './accent.ts';
import { config } from './config.ts';
import { Api } from './net/api.ts';
import { Outbox } from './net/outbox.ts';
import { ReadReceipts } from './net/read-receipts.ts';
import { type KeptValues, StoredValues } from './net/stored-values.ts';
import { Stream } from './net/stream.ts';
import { ParentFrame } from './parent-frame.ts';
import { initialState, Store } from './state/chat-state.ts';
import { Announcer } from './view/announcer.ts';
import { Composer } from './view/composer.ts';
import { element } from './view/element.ts';
import { Header } from './view/header.ts';
import { MessageList } from './view/message-list.ts';
import { Notice } from './view/notice.ts';

const store = new Store();
const frame = new ParentFrame({ begin, identify, shown });
const kept: KeptValues = frame.isPresent
  ? frame
  : new StoredValues(`${location.pathname}:${config.definition}`);
const api = new Api(kept);
const outbox = new Outbox(store, api, kept);
const stream = new Stream(store, api, () => {
  outbox.wake();
  if (config.greet && isShown && store.state.status === 'new') void api.open().catch(() => {});
});
let isShown = !frame.isPresent;
const receipts = new ReadReceipts(store, api, () => isShown);

const composer = new Composer((message) => outbox.add(message), kept);
const list = new MessageList({
  edit: (id, text) => composer.edit(id, text),
  retry: (id) => outbox.retry(id),
  discard: (id) => outbox.discard(id),
  showEarlier: () => void showEarlier(),
});
const notice = new Notice(startAgain);
const header = new Header(frame.isPresent ? () => frame.send({ dramaturg: 'close' }) : undefined);
const announcer = new Announcer();

applyAccent(config.accent, document.documentElement);
document
  .querySelector('#chat')!
  .replaceWith(
    element(
      'main',
      { class: frame.isPresent ? 'framed' : 'page' },
      header.element,
      list.element,
      notice.element,
      composer.element,
      announcer.element,
    ),
  );

let rendered = initialState;
let isRendering = false;
store.onChange((state, before) => {
  if (state.messages !== before.messages) tellLauncher();
  if (isRendering) return;
  isRendering = true;
  // Several changes in one turn are rendered once, also in a page that is not visible.
  queueMicrotask(render);
});

function render(): void {
  isRendering = false;
  const { state } = store;
  list.render(state, rendered);
  header.render(state);
  notice.render(state);
  announcer.render(state, rendered);
  rendered = state;
}

/** The launcher shows on its button how many messages are unread. */
function tellLauncher(): void {
  if (store.state.messages.length > 0) kept.set('talking', '1');
  frame.send({ dramaturg: 'unread', count: isShown ? 0 : receipts.unread });
}

function shown(nowShown: boolean): void {
  if (isShown && !nowShown) receipts.flush();
  isShown = nowShown;
  if (!isShown) return;
  receipts.check();
  tellLauncher();
  composer.focus();
  if (config.greet && store.state.connection === 'open' && store.state.status === 'new')
    void api.open().catch(() => {});
}

function identify(identity: string | undefined): void {
  api.identify(identity);
  // Another visitor: nothing of the previous one stays.
  outbox.clear();
  composer.clear();
  store.update(() => initialState);
  stream.restart();
}

function startAgain(): void {
  if (config.greet) void api.open().catch(() => {});
  composer.focus();
}

async function showEarlier(): Promise<void> {
  try {
    const { messages, hasEarlier } = await api.history();
    const shownFrom = store.state.messages[0]?.id;
    const end = messages.findIndex(({ id }) => id === shownFrom);
    store.update((state) => ({
      ...state,
      messages: [...messages.slice(0, Math.max(0, end)), ...state.messages],
      hasEarlier: hasEarlier && end > 0,
    }));
  } catch {
    // The button stays: it can be pressed again.
  }
}

function begin(identity?: string): void {
  api.identify(identity);
  // Unsent messages may belong to the previous customer.
  if (identity === undefined) {
    outbox.restore();
    composer.restore();
  } else outbox.clear();
  void stream.run();
}

render();
if (frame.isPresent) frame.send({ dramaturg: 'ready' });
else {
  begin();
  composer.focus();
}
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') frame.send({ dramaturg: 'close' });
});
