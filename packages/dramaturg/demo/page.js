/** The page of the demonstration: it speaks the HTTP of the service, like any other page would. */

const byId = (id) => document.getElementById(id);
const contact = (sessionStorage.contact ??= `visitor-${crypto.randomUUID().slice(0, 8)}`);
const claim = `claim-${contact}`;

async function ask(path, body) {
  const response = await fetch(path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail), answer);
  return answer;
}

function element(name, text, fields = {}) {
  return Object.assign(document.createElement(name), { textContent: text }, fields);
}

const shown = new Set();

function show(id, text, className) {
  if (shown.has(id)) return;
  shown.add(id);
  byId('said').append(element('li', text, { className }));
  byId('said').lastElementChild.scrollIntoView({ block: 'end' });
}

async function showInstances(changed) {
  const { items } = await ask('instances?limit=1000');
  const rows = items
    .toReversed()
    .slice(0, 60)
    .map(({ id, definition, state, ended }) => {
      const row = element('tr', '', { className: changed.has(id) ? 'new' : '' });
      const className = ended ? 'ended' : '';
      row.append(...[id, definition.name, state].map((text) => element('td', text, { className })));
      return row;
    });
  byId('instances').replaceChildren(...rows);
}

async function showDecisions() {
  const { items } = await ask('decisions');
  const forms = items.map(({ decision, prompt, options }) => {
    const row = element('div', '', { className: 'decision' });
    const buttons = options.map((option) =>
      element('button', option, {
        onclick: () =>
          ask(`decisions/${encodeURIComponent(decision)}`, { decision: option, by: 'you' }).catch(
            alert,
          ),
      }),
    );
    row.append(element('p', prompt), ...buttons);
    return row;
  });
  byId('decisions').replaceChildren(
    ...(forms.length ? forms : [element('p', 'None at the moment.')]),
  );
}

async function showSaid(instance) {
  const { lines } = await ask(`instances/${encodeURIComponent(instance)}/transcript`);
  for (const { id, role, text } of lines)
    if (role !== 'system') show(id, text, role === 'contact' ? 'me' : '');
}

let changed = new Set();
let refreshing;

function refresh(instance) {
  changed.add(instance);
  refreshing ??= setTimeout(() => {
    const news = changed;
    [changed, refreshing] = [new Set(), undefined];
    void Promise.all([showInstances(news), showDecisions()]).catch(() => {});
  }, 150);
}

/** `EventSource` connects again by itself, with the cursor of the last event. */
const events = new EventSource('events');
events.addEventListener('open', () => {
  byId('connection').textContent = 'connected';
  refresh();
});
events.addEventListener('error', () => {
  byId('connection').textContent = 'connection lost, trying again';
});
events.addEventListener('message', ({ data }) => {
  const { instance, event } = JSON.parse(data);
  if (instance.startsWith(`${claim}.`) && event.type === 'message.delivered')
    void showSaid(instance);
  refresh(instance);
});

byId('inspector').href = (await ask('demo.json')).inspector;
async function send() {
  const input = document.querySelector('input');
  const text = input.value.trim();
  if (text === '') return;
  input.value = '';
  const id = crypto.randomUUID();
  show(id, text, 'me');
  const routed = await ask('messages', { contact, text, id });
  if (routed.instance === null)
    show(`${id}/none`, 'Your claim is complete. Reload the page in a new tab for another one.', '');
}

document.querySelector('form').addEventListener('submit', (submitted) => {
  submitted.preventDefault();
  void send();
});

await ask('instances', { definition: 'claim', id: claim, once: true, contact });
const { items } = await ask(`instances?contact=${contact}`);
for (const { id } of items) await showSaid(id);
