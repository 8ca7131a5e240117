/** What the examples in docstrings use without declaring it. */
import { readFileSync } from 'node:fs';
import { compile, type Ports } from 'dramaturg';

/** A conversation plan: a file in the folder of the examples. */
export const text = readFileSync('customer-intake.plan.json', 'utf8');

export const intake = compile(text);

/** A workflow of one task, whose agent has the price. */
export const pricing = compile(
  'StartAt: Price\nStates: { Price: { Type: Task, Agent: Price, End: true } }',
);

/** A workflow whose clerk may ask how many there are. */
export const stocktaking = compile(`
StartAt: Count
States:
  Count: { Type: Task, Agent: Clerk, Tools: { Allowed: [stock] }, End: true }`);

/** The agent of that workflow: it calls the tool, and answers with its result. */
export const clerk: Ports['runAgent'] = async ({ toolResults = [] }) => {
  const [first] = toolResults;
  if (first) return { result: { stock: first.result ?? null } };
  return { result: { toolCalls: [{ name: 'stock', arguments: { item: 'lamp' } }] } };
};
