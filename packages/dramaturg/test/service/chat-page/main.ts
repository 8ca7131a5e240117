import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { createElement as h, type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** A page as the documentation of the AI SDK writes it. */
function Chat() {
  const { messages, sendMessage, status, error } = useChat({
    id: 'ada',
    resume: true,
    transport: new DefaultChatTransport({ api: '/chat/intake' }),
  });
  const [text, setText] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    void sendMessage({ text });
    setText('');
  };
  return h(
    'main',
    null,
    h('p', { id: 'status' }, error ? `error: ${error.message}` : status),
    h(
      'ol',
      null,
      messages.map(({ id, role, parts }) =>
        h(
          'li',
          { key: id, className: role },
          parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        ),
      ),
    ),
    h(
      'form',
      { onSubmit: send },
      h('input', {
        'aria-label': 'Message',
        value: text,
        onChange: ({ target }: { target: { value: string } }) => setText(target.value),
      }),
    ),
  );
}

createRoot(document.getElementById('root')!).render(h(Chat));
