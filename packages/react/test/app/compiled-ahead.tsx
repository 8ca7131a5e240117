/** The smallest app that gets the result of `dramaturg compile` and shows it. */
import { type Chart, link } from '@dramaturg/compiler';
import { plan } from '@dramaturg/plan';
import { Conversation, Deliverables, Statechart, useConversation } from '@dramaturg/react';
import { createRoot } from 'react-dom/client';

const chart = (await (await fetch('intake.machine.json')).json()) as Chart;
const machine = link(chart, plan.behaviour);

function App() {
  const run = useConversation(machine, {});
  return (
    <>
      <Statechart chart={chart} value={run.values} />
      <Conversation messages={run.messages} partial={run.partial} turn={run.turn} onSay={run.say} />
      <Deliverables items={run.deliverables} />
    </>
  );
}

createRoot(document.body).render(<App />);
