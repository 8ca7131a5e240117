/** The smallest app that compiles a definition of one format in the page and shows it. */
import { compile } from '@dramaturg/compiler';
import { plan } from '@dramaturg/plan';
import { Conversation, Deliverables, Statechart, useConversation } from '@dramaturg/react';
import { createRoot } from 'react-dom/client';

const text = document.querySelector('script[type="application/json"]')!.textContent;
const { chart, machine } = compile(text, { formats: [plan] });

function App() {
  const run = useConversation(machine, {});
  return (
    <>
      {chart && <Statechart chart={chart} value={run.values} />}
      <Conversation messages={run.messages} partial={run.partial} turn={run.turn} onSay={run.say} />
      <Deliverables items={run.deliverables} />
    </>
  );
}

createRoot(document.body).render(<App />);
