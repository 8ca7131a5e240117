import {
  Conversation,
  Deliverables,
  Statechart,
  Timeline,
  useConversation,
  useHost,
} from '@dramaturg/react';
import { compile, understudyPorts } from 'dramaturg/browser';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { greeting } from './greeting.ts';

const { chart, machine } = compile(greeting);

test('a server renders a statechart as a list with the current state marked', () => {
  const html = renderToString(
    createElement(Statechart, {
      chart: chart!,
      value: { conversation: { plan: { welcome: 'greet' }, turn: 'waiting' } },
    }),
  );
  expect(html).toContain('aria-label="Statechart of A short greeting"');
  expect(html).toContain('<li>Welcome<ul class="dg-outline"><li aria-current="step">Greet');
  expect(html).toContain('Current state: Greet');
});

test('messages are rendered as text, whatever they contain', () => {
  const html = renderToString(
    createElement(Conversation, {
      messages: [{ id: '1', role: 'agent', text: '<img src=x onerror=alert(1)>' }],
      turn: 'person',
    }),
  );
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
});

test('a conversation offers a retry while a turn has failed', () => {
  const html = (onRetry?: () => void) =>
    renderToString(createElement(Conversation, { messages: [], turn: 'person', onRetry }));
  expect(html(() => {})).toContain('Try again');
  expect(html()).not.toContain('Try again');
});

test('events and deliverables are rendered on a server', () => {
  const events = [
    { id: '1', at: 0, source: 'machine', event: { type: 'state.entered', state: 'a' } },
  ];
  expect(renderToString(createElement(Timeline, { events }))).toContain('state: a');
  const items = [
    { key: 'name', value: 'Ada' },
    { key: 'age', required: true },
  ];
  const html = renderToString(createElement(Deliverables, { items }));
  expect(html).toContain('Ada');
  expect(html).toContain('required');
});

test('a server starts no conversation and sends no request to a host', () => {
  const Page = () => {
    const { turn, messages } = useConversation(machine, understudyPorts());
    const { connection } = useHost('http://127.0.0.1:1');
    return createElement('p', {}, `${turn} ${messages.length} ${connection}`);
  };
  expect(renderToString(createElement(Page))).toBe('<p>agent 0 connecting</p>');
});
