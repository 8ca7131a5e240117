import { expect, test } from 'vitest';
import { costOfTurn } from '../src/cases/turns.ts';
import { playInLangGraph } from '../src/turns/langgraph.ts';

test('the programs in LangGraph move on as the definitions do', async () => {
  const [turns, pace] = [12, 3];
  const plan = await playInLangGraph('plan', turns, pace);
  expect(plan.state).toMatchObject({
    stage: 'billing',
    known: { customer_name: 'since Monday evening', issue_type: 'billing' },
  });
  const npc = await playInLangGraph('NPC', turns, pace);
  expect(npc.state).toMatchObject({ scene: 4, verdict: 'pass' });
  const graph = await playInLangGraph('context graph', turns, pace);
  expect(graph.state).toMatchObject({ state: 'ask_symptoms', exit: 'answered' });
  // A greeting and an answer to each message, and a thought and a decision after three of four exits.
  expect(graph.cost.requests).toBe(1 + 2 * turns + 2 * 3);
  for (const { state } of [plan, npc, graph])
    expect((state['messages'] as readonly unknown[]).length).toBe(1 + 2 * turns);
});

test('a turn of a plan asks as often as in LangGraph, and half as often with combined replies', async () => {
  const plain = await costOfTurn('plan', 'as it is');
  const combined = await costOfTurn('plan', 'with combined replies');
  const langGraph = await costOfTurn('plan', 'in LangGraph');
  expect(plain.requests).toBe(langGraph.requests);
  expect(combined.requests).toBeLessThan(0.55 * langGraph.requests);
  expect(combined.inputTokens).toBeLessThan(langGraph.inputTokens);
});
